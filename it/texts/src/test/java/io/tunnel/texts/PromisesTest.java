package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each promise has its proof: the page says which, and names only what is there. */
class PromisesTest {

  private static final List<String> SEMANTICS = List.of("semantics.md", "semantics-tunnels.md");
  private static final String PROMISES = "promises.md";

  /** Promises without a proof; the number may only fall. */
  private static final int UNPROVED_MAX = 26;

  private static final String NONE = "*none*";
  private static final Path INVARIANTS =
      Path.of("it/sim/src/test/java/io/tunnel/it/sim/truth/Invariant.java");

  private static final Pattern SECTION = Pattern.compile("## (.*)");
  private static final Pattern PROMISE = Pattern.compile("- \\*\\*(.*?)\\*\\*.*");
  private static final Pattern ROW = Pattern.compile("\\| (?!promise |---)(.*) \\| (.*) \\|");
  private static final Pattern PROOF = Pattern.compile("`([^`]+)`");
  private static final Pattern INVARIANT = Pattern.compile("(?m)^  [A-Z_]+\\(\"([a-z-]+)\"\\)");

  private static Stream<String> lines(String page) throws IOException {
    return Files.readString(Modules.root().resolve("docs").resolve(page)).lines();
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
