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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages for people who change the code name only what is there. */
class ArchitecturePageTest {

  private static final List<String> PAGES = List.of("ARCHITECTURE.md", "CONTRIBUTING.md");
  private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");

  /** A class, with the end of its package's name before it or without. */
  private static final Pattern CLASS =
      Pattern.compile("((?:[a-z][a-z0-9]*\\.)*)([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)");

  private static final Pattern PACKAGE = Pattern.compile("[a-z][a-z0-9]*(?:\\.[a-z][a-z0-9]*)+");
  private static final Pattern FILE = Pattern.compile(".*\\.(?:md|xml|sh|java|zip|jar)");
  private static final Pattern PATH = Pattern.compile("[a-z][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)+");

  private static final Pattern DIAGRAM = Pattern.compile("(?ms)^  %% moves of (\\S+)$(.*?)^```");
  private static final Pattern DRAWN = Pattern.compile("(?m)^  ([A-Z_]+) --> ([A-Z_]+)(?::.*)?$");

  /** A case of a switch over states, and what it says of the next one. */
  private static final Pattern CASE = Pattern.compile("case ([A-Z_,\\s]+) -> ([^;{}]*);");

  private static final Pattern SET = Pattern.compile("(?:EnumSet|Set)\\.of\\(([A-Z_,\\s]*)\\)");
  private static final Pattern COMPARISON = Pattern.compile("(?:next|to) ([=!])= \\w+\\.([A-Z_]+)");

  /** The packages in which there is a class of a name. */
  private static Map<String, Set<String>> packagesByClass() throws IOException {
    Map<String, Set<String>> packages = new TreeMap<>();
    for (Path module : Modules.all()) {
      for (String kind : List.of("main", "test")) {
        for (Path source : Modules.sources(module, kind)) {
          String name = String.valueOf(source.getFileName()).replace(".java", "");
          Path directory = module.resolve("src").resolve(kind).resolve("java");
          String inPackage =
              String.valueOf(directory.relativize(source).getParent()).replace('/', '.');
          packages.computeIfAbsent(name, none -> new TreeSet<>()).add(inPackage);
        }
      }
    }
    return packages;
  }

  private static List<String> codeIn(String page) throws IOException {
    String text = FENCE.matcher(Files.readString(Modules.root().resolve(page))).replaceAll("");
    List<String> found = new ArrayList<>();
    for (Matcher code = CODE.matcher(text); code.find(); ) {
      found.add(code.group(1));
    }
    return found;
  }

  private static boolean isIn(String name, Set<String> packages) {
    return packages.stream().anyMatch(each -> ("." + each).endsWith("." + name));
  }

  private static boolean isThere(String code, Map<String, Set<String>> packagesByClass) {
    Matcher named = CLASS.matcher(code);
    if (named.matches()) {
      Set<String> packages = packagesByClass.getOrDefault(named.group(2), Set.of());
      String before = named.group(1);
      return before.isEmpty()
          ? !packages.isEmpty()
          : isIn(before.substring(0, before.length() - 1), packages);
    }
    String word = code.split(" ", -1)[0];
    if (PATH.matcher(word).matches() && !word.contains("target/")) {
      return Files.exists(Modules.root().resolve(word));
    }
    if (PACKAGE.matcher(code).matches() && !FILE.matcher(code).matches()) {
      return packagesByClass.values().stream().anyMatch(packages -> isIn(code, packages));
    }
    return true;
  }

  @Test
  void each_class_package_and_file_that_the_pages_name_is_there() throws IOException {
    Map<String, Set<String>> packages = packagesByClass();
    List<String> missing = new ArrayList<>();
    for (String page : PAGES) {
      codeIn(page).stream()
          .filter(code -> !isThere(code, packages))
          .forEach(code -> missing.add(page + ": " + code));
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void each_module_has_a_place_in_the_table_of_modules() throws IOException {
    String page = Files.readString(Modules.root().resolve("ARCHITECTURE.md"));
    String table =
        page.substring(page.indexOf("## Modules"), page.indexOf("## The way of a write"));
    assertThat(Modules.all())
        .extracting(Modules::name)
        .allSatisfy(module -> assertThat(table).contains("`" + module + "`"));
  }

  @Test
  void a_name_that_is_not_there_is_found() throws IOException {
    Map<String, Set<String>> packages = packagesByClass();
    assertThat(Stream.of("net.Connection", "Connection", "net.access", "it/proof.sh 1", "BUSY"))
        .allMatch(code -> isThere(code, packages));
    assertThat(Stream.of("log.Connection", "Conection", "net.acces", "it/prof.sh 1"))
        .noneMatch(code -> isThere(code, packages));
  }

  private static String source(String name) throws IOException {
    if (name.contains("/")) {
      return Files.readString(Modules.root().resolve(name));
    }
    for (Path module : Modules.all()) {
      for (Path source : Modules.sources(module, "main")) {
        if (source.endsWith(name + ".java")) {
          return Files.readString(source);
        }
      }
    }
    throw new AssertionError("there is no " + name);
  }

  private static Set<String> allowed(String source) {
    Map<String, String> nextByState = new TreeMap<>();
    for (Matcher each = CASE.matcher(source); each.find(); ) {
      if (SET.matcher(each.group(2)).find() || COMPARISON.matcher(each.group(2)).find()) {
        for (String state : each.group(1).split("[,\\s]+", -1)) {
          nextByState.put(state, each.group(2));
        }
      }
    }
    Set<String> moves = new TreeSet<>();
    nextByState.forEach(
        (from, next) ->
            targets(next, source).stream()
                .filter(to -> !to.equals(from))
                .forEach(to -> moves.add(from + " to " + to)));
    return moves;
  }

  /** The states that an expression allows: members of a set, or those that a comparison names. */
  private static Set<String> targets(String expression, String source) {
    Set<String> targets = new TreeSet<>();
    for (Matcher set = SET.matcher(expression); set.find(); ) {
      targets.addAll(List.of(set.group(1).strip().split("[,\\s]+")));
    }
    for (Matcher compared = COMPARISON.matcher(expression); compared.find(); ) {
      if (compared.group(1).equals("=")) {
        targets.add(compared.group(2));
      } else {
        for (Matcher other = CASE.matcher(source); other.find(); ) {
          if (COMPARISON.matcher(other.group(2)).find() || other.group(2).equals("false")) {
            targets.addAll(List.of(other.group(1).split("[,\\s]+")));
          }
        }
        targets.remove(compared.group(2));
      }
    }
    return targets;
  }

  private static Set<String> drawn(String diagram) {
    Set<String> moves = new TreeSet<>();
    for (Matcher each = DRAWN.matcher(diagram); each.find(); ) {
      moves.add(each.group(1) + " to " + each.group(2));
    }
    return moves;
  }

  @Test
  void the_diagrams_draw_the_moves_that_the_code_allows() throws IOException {
    String page = Files.readString(Modules.root().resolve("ARCHITECTURE.md"));
    int diagrams = 0;
    for (Matcher each = DIAGRAM.matcher(page); each.find(); diagrams++) {
      Set<String> allowed = allowed(source(each.group(1)));
      assertThat(allowed).as(each.group(1)).isNotEmpty().isEqualTo(drawn(each.group(2)));
    }
    assertThat(diagrams).isGreaterThan(3);
  }
}
