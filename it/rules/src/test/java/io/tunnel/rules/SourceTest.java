package io.tunnel.rules;

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
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Rules about the text of the sources of all modules, tests included. */
class SourceTest {

  private static final int FILE_LINES_MAX = 500;
  private static final int TEST_FILE_LINES_MAX = 500;

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
