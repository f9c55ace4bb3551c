package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/reference/limits.md names every limit for one of many, and says what bounds the
 * sum. A limit for one of many is a constant or a setting that ends in {@code Max}, and whose
 * comment says that it holds for one connection, for each partition, and the like.
 */
class LimitsPageTest {

  private static final List<String> ROOTS =
      List.of("tunnel-server", "tunnel-protocol", "tunnel-sdk");

  private static final Pattern CONSTANT =
      Pattern.compile(
          "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:(?:public|private|protected) )?"
              + "static final (?:int|long) (\\w*_MAX)\\b",
          Pattern.DOTALL);

  private static final Pattern SETTING =
      Pattern.compile("@param (\\w+Max) ((?:(?!@param|@throws|\\*/).)*)", Pattern.DOTALL);

  /** How a comment says that a limit holds for one of many. */
  private static final Pattern OF_ONE =
      Pattern.compile(
          "\\b(?:of|for|in|on) (?:(?:one|each) (?:connection|session|principal|partition|table"
              + "|tunnel|channel|subject|address|watch|writer|reader|group)"
              + "|a (?:connection|session|principal|partition|subject|store|writer|shard|tunnel))"
              + "\\b(?!')");

  /** Constants and components that are declared, by their class. */
  private static final Pattern DECLARED = Pattern.compile("\\b(?:int|long) (\\w+)\\s*[,)=;]");

  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+)\\.(\\w+)`");
  private static final Pattern NAMED_SETTING = Pattern.compile("`([a-z]\\w*(?:\\.\\w+)+)`");

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (String root : ROOTS) {
      Path main = Modules.root().resolve(root).resolve("src/main/java");
      try (Stream<Path> files = Files.walk(main)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          String name = String.valueOf(file.getFileName());
          // Two classes of one name are read as one.
          sources.merge(
              name.substring(0, name.length() - ".java".length()),
              Files.readString(file),
              String::concat);
        }
      }
    }
    return sources;
  }

  private static List<String> rows() throws IOException {
    return Files.readAllLines(Modules.root().resolve("docs/reference/limits.md")).stream()
        .filter(
            line -> line.startsWith("| ") && !line.startsWith("| what") && line.charAt(2) != '-')
        .toList();
  }

  private static boolean isOfOne(String comment) {
    return OF_ONE.matcher(comment.replaceAll("\\s*\\n\\s*\\*\\s*", " ")).find();
  }

  /** Whether a source declares the name as a number; times have types of their own. */
  private static boolean isDeclared(String source, String name) {
    return DECLARED.matcher(source).results().anyMatch(found -> found.group(1).equals(name));
  }

  @Test
  void each_limit_for_one_of_many_is_in_the_table() throws IOException {
    Set<String> limits = new TreeSet<>();
    sources()
        .forEach(
            (name, source) -> {
              for (Pattern each : List.of(CONSTANT, SETTING)) {
                boolean isConstant = each == CONSTANT;
                for (MatchResult found : each.matcher(source).results().toList()) {
                  if (isOfOne(found.group(isConstant ? 1 : 2))
                      && isDeclared(source, found.group(isConstant ? 2 : 1))) {
                    limits.add((isConstant ? name + "." : "") + found.group(isConstant ? 2 : 1));
                  }
                }
              }
            });
    assertThat(limits).as("the comments are understood").contains("WriterCore.WRITERS_MAX");
    String table = String.join("\n", rows());
    assertThat(limits)
        .as(
            "a limit for one of many needs a row in docs/reference/limits.md that says what"
                + " bounds the sum")
        .allMatch(
            limit -> Pattern.compile("[`.]" + Pattern.quote(limit) + "`").matcher(table).find());
  }

  @Test
  void each_name_in_the_table_exists_and_each_row_says_what_bounds_the_sum() throws IOException {
    Map<String, String> sources = sources();
    String settings = Files.readString(Modules.root().resolve("docs/operate/configuration.md"));
    List<String> unknown = new ArrayList<>();
    List<String> rows = rows();
    assertThat(rows).hasSizeGreaterThan(20);
    for (String row : rows) {
      String[] cells = row.split("\\|", -1);
      assertThat(cells).as(row).hasSize(7);
      assertThat(cells[5].strip()).as("what bounds the sum of: " + row).isNotEmpty();
      for (MatchResult name : NAMED.matcher(row).results().toList()) {
        if (!isDeclared(sources.getOrDefault(name.group(1), ""), name.group(2))) {
          unknown.add(name.group());
        }
      }
      for (MatchResult name : NAMED_SETTING.matcher(row).results().toList()) {
        if (!settings.contains("`" + name.group(1) + "`")) {
          unknown.add(name.group());
        }
      }
    }
    assertThat(unknown).as("names that neither the code nor configuration.md has").isEmpty();
  }
}
