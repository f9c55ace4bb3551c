package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The parts of the proof have the same names everywhere: a tag that one place does not know would
 * run in every build, or never.
 */
class ProofPartsTest {

  private static final Pattern TAG = Pattern.compile("@Tag\\(\"([^\"]*)\"\\)");
  private static final Pattern IN_POM = Pattern.compile("<proof\\.all>([^<]*)</proof\\.all>");
  private static final Pattern IN_SCRIPT = Pattern.compile("(?m)^  \"([a-z]+)\\|");
  private static final Pattern IN_GUIDE = Pattern.compile("(?m)^\\| `([a-z]+)` \\|");

  /** The simulations are chosen by a property, so they have no tag. */
  private static final Set<String> WITHOUT_TAG = Set.of("mutation", "sim");

  private static Set<String> parts(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
      found.add(matcher.group(1));
    }
    return found;
  }

  private static Set<String> tagsOfTests() throws IOException {
    Set<String> tags = new TreeSet<>();
    for (Path module : Modules.all()) {
      for (Path source : Modules.sources(module, "test")) {
        if (!source.endsWith("ProofPartsTest.java")) {
          tags.addAll(parts(TAG, Files.readString(source)));
        }
      }
    }
    return tags;
  }

  @Test
  void
      every_tag_is_left_out_of_ordinary_builds_and_is_a_part_that_a_script_runs_and_a_page_explains()
          throws IOException {
    Matcher pom = IN_POM.matcher(Files.readString(Modules.root().resolve("pom.xml")));
    assertThat(pom.find()).isTrue();
    Set<String> tags = new TreeSet<>(Set.of(pom.group(1).split(" \\| ")));
    assertThat(tagsOfTests()).isEqualTo(tags);

    Set<String> parts = new TreeSet<>(WITHOUT_TAG);
    tags.forEach(tag -> parts.add(tag.replaceFirst("^proof-", "")));
    assertThat(parts(IN_SCRIPT, Files.readString(Modules.root().resolve("it/proof.sh"))))
        .isEqualTo(parts);
    assertThat(parts(IN_GUIDE, Files.readString(Modules.root().resolve("CONTRIBUTING.md"))))
        .isEqualTo(parts);
  }
}
