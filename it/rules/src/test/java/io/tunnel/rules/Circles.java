package io.tunnel.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds circles of source files through several packages: files of which each depends on the next,
 * and the last on the first. A circle inside one package is read as a whole, and is allowed.
 */
final class Circles {

  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?([\\w.]+);", Pattern.MULTILINE);

  private Circles() {}

  /**
   * Dependencies between files, each named by its top-level type. The class files show the
   * dependencies of the code, the sources the imports that only a comment needs.
   */
  static Map<String, Set<String>> dependencies(JavaClasses classes, List<Path> sources)
      throws IOException {
    Map<String, Set<String>> files = new TreeMap<>();
    classes.forEach(type -> files.put(Rules.outermost(type), new TreeSet<>()));
    for (JavaClass type : classes) {
      type.getDirectDependenciesFromSelf()
          .forEach(to -> add(files, Rules.outermost(type), Rules.outermost(to.getTargetClass())));
    }
    for (Path source : sources) {
      String text = Files.readString(source);
      Matcher home = Pattern.compile("(?m)^package ([\\w.]+);").matcher(text);
      if (home.find()) {
        String name = source.getFileName().toString().replace(".java", "");
        Matcher imports = IMPORT.matcher(text);
        while (imports.find()) {
          add(files, home.group(1) + "." + name, outermost(imports.group(1), files.keySet()));
        }
      }
    }
    return files;
  }

  private static void add(Map<String, Set<String>> files, String from, String to) {
    if (!from.equals(to) && files.containsKey(from) && files.containsKey(to)) {
      files.get(from).add(to);
    }
  }

  private static String outermost(String imported, Set<String> files) {
    String name = imported;
    while (!files.contains(name) && name.contains(".")) {
      name = packageOf(name);
    }
    return name;
  }

  private static String packageOf(String type) {
    return type.substring(0, Math.max(0, type.lastIndexOf('.')));
  }

  /**
   * The shortest circle for each dependency between packages that lies on a circle; each circle
   * begins with its first name, and is given once.
   */
  static List<List<String>> throughPackages(Map<String, Set<String>> files) {
    Set<List<String>> circles = new TreeSet<>(Comparator.comparing(List::toString));
    for (Map.Entry<String, Set<String>> file : files.entrySet()) {
      for (String other : file.getValue()) {
        if (!packageOf(file.getKey()).equals(packageOf(other))) {
          path(files, other, file.getKey()).ifPresent(circle -> circles.add(turned(circle)));
        }
      }
    }
    return List.copyOf(circles);
  }

  /** The shortest path, both ends included. */
  private static Optional<List<String>> path(
      Map<String, Set<String>> files, String from, String to) {
    Map<String, String> cameFrom = new HashMap<>(Map.of(from, from));
    Deque<String> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty() && !cameFrom.containsKey(to)) {
      String at = open.remove();
      for (String next : files.get(at)) {
        if (cameFrom.putIfAbsent(next, at) == null) {
          open.add(next);
        }
      }
    }
    if (!cameFrom.containsKey(to)) {
      return Optional.empty();
    }
    List<String> path = new ArrayList<>(List.of(to));
    while (!path.get(0).equals(from)) {
      path.add(0, cameFrom.get(path.get(0)));
    }
    return Optional.of(path);
  }

  private static List<String> turned(List<String> circle) {
    int first = circle.indexOf(circle.stream().min(Comparator.naturalOrder()).orElseThrow());
    List<String> turned = new ArrayList<>(circle.subList(first, circle.size()));
    turned.addAll(circle.subList(0, first));
    return turned;
  }
}
