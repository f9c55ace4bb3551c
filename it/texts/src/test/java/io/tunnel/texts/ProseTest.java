package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.texts.Prose.Sentence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The text of the code and of the pages names things, so that a sentence is read once. */
class ProseTest {

  private static final int PERMILLE_MAX = 10;
  private static final int SHOWN_MAX = 20;

  static List<String> modules() {
    return Modules.all().stream().map(Modules::name).toList();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void the_code_of_a_module_has_few_heavy_sentences(String module) throws IOException {
    List<Path> sources = Modules.sources(Modules.root().resolve(module), "main");
    check(sources);
  }

  @Test
  void the_pages_have_few_heavy_sentences() throws IOException {
    List<Path> pages = Modules.pages();
    assertThat(pages).hasSizeGreaterThan(10);
    check(pages);
  }

  /** Whole modules are measured, and a small one may have one: no good sentence is bent for it. */
  private static void check(List<Path> files) throws IOException {
    List<Sentence> sentences = Prose.sentences(files);
    List<Sentence> heavy = sentences.stream().filter(Sentence::isHeavy).toList();
    int allowed = Math.max(1, sentences.size() * PERMILLE_MAX / 1_000);
    assertThat(heavy.size())
        .as(
            "heavy sentences of %d; name the thing, the heaviest first:%n%s",
            sentences.size(),
            String.join("\n", heavy.stream().limit(SHOWN_MAX).map(Sentence::toString).toList()))
        .isLessThanOrEqualTo(allowed);
  }

  @Test
  void comments_literals_and_pages_are_read(@TempDir Path directory) throws IOException {
    Path code = directory.resolve("Code.java");
    Files.writeString(
        code,
        """
        /** The leader appends the batch, and tells the {@link Writer} its position.
         *
         * @param some what it is that they have, which is none of those
         */
        class Code {
          // So it is what they all were,
          // whoever that one is.
          String text = "it is that which "
              + "everybody has, and nothing else";
        }
        """);
    Path page = directory.resolve("page.md");
    Files.writeString(
        page,
        """
        A node that leads a partition appends its changes to the log.

        ```
        it is that which they all have, and what it is
        ```
        - short
        - so that is what it is for all of them
        """);
    assertThat(Prose.sentences(List.of(code, page)).stream().filter(Sentence::isHeavy))
        .extracting(sentence -> sentence.file().getFileName() + ":" + sentence.line())
        .containsExactlyInAnyOrder("Code.java:3", "Code.java:6", "Code.java:8", "page.md:7");
    assertThat(Prose.sentences(List.of(code, page))).hasSize(6);
  }
}
