package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Rules about the text of the sources of all modules, tests included. */
class SourceTest {

  private static final int FILE_LINES_MAX = 500;
  private static final int TEST_FILE_LINES_MAX = 500;

  /** An annotation that makes a test of a method, and the first method behind it. */
  private static final Pattern TEST =
      Pattern.compile(
          "^  @(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|FuzzTest)\\b"
              + ".*?^  (?!@|//)[^\\n=({;]*?\\b(\\w+)\\(",
          Pattern.MULTILINE | Pattern.DOTALL);

  /** A sentence has a subject and a verb, and here no capital letter. */
  private static final Pattern SENTENCE = Pattern.compile("[a-z0-9]+(?:_[a-z0-9]+){2,}");

  /** A copied set or map has another order in each JVM. */
  private static final Pattern SALTED_ORDER =
      Pattern.compile(
          "\\w : (?:Set|Map)\\.copyOf\\("
              + "|\\b(?:Set|Map)\\.copyOf\\([\\w.()]*\\)\\s*\\.(?:forEach|stream|iterator)\\(");

  @Test
  void no_source_file_is_longer_than_anyone_can_read_over_coffee() {
    Map<String, Integer> lines = lines("main");
    assertThat(lines).isNotEmpty();
    assertThat(over(FILE_LINES_MAX, lines))
        .as("files of more than %d lines", FILE_LINES_MAX)
        .isEmpty();
  }

  @Test
  void no_test_file_is_longer_than_what_it_tests_should_be() {
    Map<String, Integer> lines = lines("test");
    assertThat(lines).isNotEmpty();
    assertThat(over(TEST_FILE_LINES_MAX, lines))
        .as("test files of more than %d lines", TEST_FILE_LINES_MAX)
        .isEmpty();
  }

  @Test
  void names_of_tests_are_sentences_in_snake_case() throws IOException {
    List<String> others = new ArrayList<>();
    for (Path file : sources("test")) {
      testsIn(Files.readString(file)).stream()
          .filter(name -> !SENTENCE.matcher(name).matches())
          .forEach(name -> others.add(Modules.name(file) + ": " + name));
    }
    assertThat(others).isEmpty();
  }

  @Test
  void the_rule_for_names_sees_tests_of_each_kind_and_no_other_method() {
    String source =
        """
          @Test
          void a_test_has_a_name() {}

          /** Not a test. */
          private static int helper(int count) {}

          @ParameterizedTest(name = "of (many) sizes")
          @ValueSource(strings = {"call(", "x"})
          // An annotation may have a comment(and more) behind it.
          void camelCase(String text) throws IOException {}

          @RepeatedTest(3)
          @DisplayName("slow")
          void tables() {}

          @TestFactory
          Stream<DynamicTest> one_word_more() {}

          @FuzzTest(maxDuration = "30s")
          public void ends_with_Capital(byte[] data) {}
        """;
    assertThat(testsIn(source))
        .containsExactly(
            "a_test_has_a_name", "camelCase", "tables", "one_word_more", "ends_with_Capital");
    assertThat(testsIn(source).stream().filter(name -> SENTENCE.matcher(name).matches()))
        .containsExactly("a_test_has_a_name", "one_word_more");
  }

  @Test
  void no_test_walks_over_a_copied_set_whose_order_differs_from_run_to_run() throws IOException {
    assertThat(SALTED_ORDER.matcher("for (Row row : Set.copyOf(rows.keySet())) {").find()).isTrue();
    assertThat(SALTED_ORDER.matcher("Map.copyOf(rows)\n    .forEach((a, b) -> {").find()).isTrue();
    assertThat(SALTED_ORDER.matcher("for (Row row : List.copyOf(rows)) {").find()).isFalse();
    List<String> found = new ArrayList<>();
    for (Path file : sources("test")) {
      if (!file.endsWith("SourceTest.java")
          && SALTED_ORDER.matcher(Files.readString(file)).find()) {
        found.add(Modules.name(file));
      }
    }
    assertThat(found).as("a seed makes another run each time; walk over List.copyOf").isEmpty();
  }

  private static List<String> testsIn(String source) {
    return TEST.matcher(source).results().map(found -> found.group(1)).toList();
  }

  private static Set<String> over(int max, Map<String, Integer> sizes) {
    return sizes.entrySet().stream()
        .filter(size -> size.getValue() > max)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, Integer> lines(String kind) {
    Map<String, Integer> lines = new TreeMap<>();
    sources(kind).forEach(file -> lines.put(Modules.name(file), linesOf(file)));
    return lines;
  }

  private static int linesOf(Path file) {
    try {
      return Files.readAllLines(file).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> sources(String kind) {
    List<Path> sources = new ArrayList<>();
    Modules.all().forEach(module -> sources.addAll(Modules.sources(module, kind)));
    return sources;
  }
}
