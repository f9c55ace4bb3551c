package io.tunnel.it.sim.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The stories in {@code stories/}; {@code -Dstories.rewrite} writes down what really happens. */
class StoryTest {

  @TestFactory
  Stream<DynamicTest> every_story_goes_as_it_is_told() throws IOException {
    List<Path> files = files();
    assertThat(files).hasSizeGreaterThanOrEqualTo(20);
    return files.stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> tell(file)));
  }

  private static void tell(Path file) throws IOException {
    List<String> expected = Files.readAllLines(file);
    List<String> told = new Story(expected).told();
    if (System.getProperty("stories.rewrite") != null) {
      Files.write(file, told);
    } else if (!told.equals(expected)) {
      fail(
          "%s goes otherwise (- expected, + came; -Dstories.rewrite keeps what came):%n%s",
          file.getFileName(), Story.diff(expected, told));
    }
  }

  private static List<Path> files() throws IOException {
    Path resources = Path.of("src/test/resources/stories");
    Path directory =
        Files.isDirectory(resources) ? resources : Path.of("it/sim").resolve(resources);
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.toString().endsWith(".txt")).sorted().toList();
    }
  }

  @Test
  void a_difference_is_shown_with_the_lines_around_it() {
    assertThat(Story.diff(List.of("a", "b", "c"), List.of("a", "d", "c", "e")))
        .isEqualTo("    a\n  - b\n  + d\n    c\n  + e\n");
  }

  @Test
  void a_story_tells_what_happened_and_not_what_was_expected() {
    List<String> wrong = List.of("table orders", "write p1 rows=2", "  written p1 1..3");
    assertThat(new Story(wrong).told())
        .containsExactly("table orders", "write p1 rows=2", "  written p1 1..2");
  }

  @Test
  void a_command_that_makes_no_sense_is_named() {
    assertThatThrownBy(() -> new Story(List.of("table orders", "jump")).told())
        .hasMessageStartingWith("at 'jump'")
        .hasRootCauseMessage("there is no command jump");
  }

  @Test
  void ranges_that_follow_each_other_are_one_line() {
    StoryLines lines = new StoryLines();
    lines.add("a processes p1", 1, 2, "");
    lines.add("a processes p2", 1, 1, "");
    lines.add("a processes p1", 3, 3, "");
    lines.add("a leaves");
    lines.add("a processes p1", 4, 4, "");
    assertThat(lines.take())
        .containsExactly("a processes p1 1..3", "a processes p2 1", "a leaves", "a processes p1 4");
    assertThat(lines.take()).isEmpty();
  }
}
