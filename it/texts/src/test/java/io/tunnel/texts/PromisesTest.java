package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each promise has its proof: the page says which, and names only what is there. An example follows
 * each few promises, and a timeline of an example is what a story of the simulation tells.
 */
class PromisesTest {

  private static final List<String> SEMANTICS =
      List.of("concepts/semantics.md", "concepts/semantics-tunnels.md");
  private static final String PROMISES = "internals/promises.md";

  /** Promises without a proof; the number may only fall. */
  private static final int UNPROVED_MAX = 20;

  /** Promises of a section without an example between them. */
  private static final int WITHOUT_EXAMPLE_MAX = 5;

  private static final String NONE = "*none*";
  private static final Path INVARIANTS =
      Path.of("it/sim/src/test/java/io/tunnel/it/sim/truth/Invariant.java");

  private static final Path STORIES = Path.of("it/sim/src/test/resources/stories");

  /** A block, or a table. */
  private static final Pattern EXAMPLE = Pattern.compile("\\s*(```\\w*|\\|.*)");

  private static final Pattern STORY =
      Pattern.compile("(?ms)^ *<!-- story: (\\S+) -->\\n *```\\n(.*?)^ *```");
  private static final Pattern SECTION = Pattern.compile("## (.*)");
  private static final Pattern PROMISE = Pattern.compile("- \\*\\*(.*?)\\*\\*.*");
  private static final Pattern ROW = Pattern.compile("\\| (?!promise |---)(.*) \\| (.*) \\|");
  private static final Pattern PROOF = Pattern.compile("`([^`]+)`");
  private static final Pattern INVARIANT = Pattern.compile("(?m)^  [A-Z_]+\\(\"([a-z-]+)\"\\)");

  private static String text(String page) throws IOException {
    return Files.readString(Modules.root().resolve("docs").resolve(page));
  }

  private static Stream<String> lines(String page) throws IOException {
    return text(page).lines();
  }

  /** The lines that match, each behind its section. */
  private static Map<String, List<Matcher>> bySection(String page, Pattern wanted)
      throws IOException {
    Map<String, List<Matcher>> found = new LinkedHashMap<>();
    String section = "";
    for (String line : lines(page).toList()) {
      Matcher heading = SECTION.matcher(line);
      Matcher match = wanted.matcher(line);
      if (heading.matches()) {
        section = heading.group(1);
      } else if (match.matches()) {
        found.computeIfAbsent(section, any -> new ArrayList<>()).add(match);
      }
    }
    return found;
  }

  private static List<String> promises(String page, Pattern pattern) throws IOException {
    return bySection(page, pattern).entrySet().stream()
        .flatMap(
            section ->
                section.getValue().stream().map(each -> section.getKey() + ": " + each.group(1)))
        .toList();
  }

  /**
   * The promises that no block or table follows before the sixth promise, or before the section's
   * end.
   */
  private static List<String> withoutExample(List<String> lines) {
    List<String> without = new ArrayList<>();
    List<String> waiting = new ArrayList<>();
    for (String line : lines) {
      Matcher promise = PROMISE.matcher(line);
      if (EXAMPLE.matcher(line).matches()) {
        waiting.clear();
      } else if (SECTION.matcher(line).matches()) {
        without.addAll(waiting);
        waiting.clear();
      } else if (promise.matches()) {
        waiting.add(promise.group(1));
        if (waiting.size() > WITHOUT_EXAMPLE_MAX) {
          without.add(waiting.remove(0));
        }
      }
    }
    without.addAll(waiting);
    return without;
  }

  /** The first line that the story does not tell after the lines before it, or nothing. */
  private static Optional<String> untold(List<String> shown, List<String> story) {
    int next = 0;
    for (String line : shown) {
      if (!line.strip().equals("…")) {
        int found = story.subList(next, story.size()).indexOf(line);
        if (found < 0) {
          return Optional.of(line);
        }
        next += found + 1;
      }
    }
    return Optional.empty();
  }

  private static List<String> proofs() throws IOException {
    return bySection(PROMISES, ROW).values().stream()
        .flatMap(List::stream)
        .map(row -> row.group(2))
        .toList();
  }

  /** The invariants of the simulation, and the classes with tests. */
  private static Set<String> known() throws IOException {
    Set<String> known = new TreeSet<>();
    INVARIANT
        .matcher(Files.readString(Modules.root().resolve(INVARIANTS)))
        .results()
        .forEach(each -> known.add(each.group(1)));
    assertThat(known).as("the invariants are found").contains("order-per-client");
    for (Path module : Modules.all()) {
      Modules.sources(module, "test").stream()
          .map(source -> String.valueOf(source.getFileName()).replace(".java", ""))
          .filter(name -> name.endsWith("Test"))
          .forEach(known::add);
    }
    return known;
  }

  @Test
  void each_promise_has_a_row_in_the_order_of_the_page() throws IOException {
    List<String> promised = new ArrayList<>();
    for (String page : SEMANTICS) {
      promised.addAll(promises(page, PROMISE));
    }
    assertThat(promises(PROMISES, ROW)).isEqualTo(promised);
  }

  @Test
  void an_example_follows_each_few_promises() throws IOException {
    for (String page : SEMANTICS) {
      assertThat(withoutExample(lines(page).toList())).as(page).isEmpty();
    }
  }

  @Test
  void a_promise_without_an_example_is_found() {
    List<String> section = new ArrayList<>(List.of("## One", "- **a** b"));
    section.addAll(List.of("  ```sh", "  $ c", "  ```", "- **d.** e", "## Two"));
    section.addAll(List.of("- **1** 1", "- **2** 2", "- **3** 3", "- **4** 4", "- **5** 5"));
    section.addAll(List.of("- **6** 6", "| a | table |"));
    assertThat(withoutExample(section)).containsExactly("d.", "1");
  }

  @Test
  void a_timeline_is_what_the_simulation_compares() throws IOException {
    int found = 0;
    for (String page : SEMANTICS) {
      for (Matcher shown = STORY.matcher(text(page)); shown.find(); found++) {
        Path story = Modules.root().resolve(STORIES).resolve(shown.group(1) + ".txt");
        assertThat(story).as(page).exists();
        assertThat(untold(shown.group(2).stripIndent().lines().toList(), Files.readAllLines(story)))
            .as(page + ": " + shown.group(1))
            .isEmpty();
      }
    }
    assertThat(found).isPositive();
  }

  @Test
  void a_line_that_no_story_tells_is_found() {
    List<String> story = List.of("kill b", "  a is given p2", "  a processes p2 3..5");
    assertThat(untold(List.of("kill b", "…", "  a processes p2 3..5"), story)).isEmpty();
    assertThat(untold(List.of("  a is given p2", "kill b"), story)).contains("kill b");
  }

  @Test
  void each_proof_is_an_invariant_or_a_test_that_there_is() throws IOException {
    Set<String> known = known();
    for (String cell : proofs()) {
      List<String> named =
          PROOF.matcher(cell).results().map(each -> each.group(1)).collect(Collectors.toList());
      assertThat(known).containsAll(named);
      assertThat(named.isEmpty()).as(cell).isEqualTo(cell.equals(NONE));
    }
  }

  @Test
  void promises_without_a_proof_get_fewer() throws IOException {
    assertThat(proofs().stream().filter(NONE::equals).count()).isEqualTo(UNPROVED_MAX);
  }
}
