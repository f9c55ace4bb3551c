package io.tunnel.it.planted;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The classes of the build, and how a planted bug is laid over them.
 *
 * <p>Each module has left its class path in {@code planted.classpath} of its build directory.
 */
final class PlantedTree {

  private static final String CLASSPATH = "planted.classpath";

  private final Path root;
  private final String target;
  private final List<String> modules;
  private final String everything;

  /**
   * @param target the build directory of each module, from its base directory
   */
  PlantedTree(Path root, String target) throws IOException {
    this.root = root;
    this.target = target;
    try (Stream<Path> listed = Files.walk(root, 2)) {
      modules =
          listed
              .filter(module -> Files.exists(module.resolve(target).resolve(CLASSPATH)))
              .map(module -> root.relativize(module).toString())
              .sorted()
              .toList();
    }
    Set<String> entries = new LinkedHashSet<>();
    for (String module : modules) {
      entries.addAll(classes(module));
    }
    for (String module : modules) {
      entries.addAll(libraries(module));
    }
    everything = String.join(File.pathSeparator, entries);
  }

  /** The class path of a judge, with the classes of {@code planted} before all others. */
  String classpath(Judge judge, Path planted) throws IOException {
    Set<String> entries = new LinkedHashSet<>();
    entries.add(planted.toString());
    entries.addAll(classes(judge.module()));
    entries.addAll(libraries(judge.module()));
    // What runs the judge is in "it"; its libraries come last and only fill what is missing.
    entries.addAll(classes("it"));
    entries.addAll(libraries("it"));
    return String.join(File.pathSeparator, entries);
  }

  /** Where a judge's process runs, as under Maven. */
  Path directory(Judge judge) {
    return root.resolve(judge.module());
  }

  /**
   * Applies the patch to copies of the files that it changes, and compiles those into {@code
   * classes}.
   *
   * @throws IllegalStateException with what git or the compiler said when it cannot be planted
   */
  void plant(PlantedBug bug, Path sources, Path classes) throws IOException, InterruptedException {
    for (Path file : bug.files()) {
      Files.createDirectories(sources.resolve(file).getParent());
      Files.copy(root.resolve(file), sources.resolve(file));
    }
    Process git =
        new ProcessBuilder("git", "apply", bug.patch().toAbsolutePath().toString())
            .directory(sources.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (git.waitFor() != 0) {
      throw new IllegalStateException("the patch does not apply: " + said.strip());
    }
    compile(bug.files().stream().map(sources::resolve).toList(), classes);
  }

  private void compile(List<Path> files, Path classes) throws IOException {
    Files.createDirectories(classes);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-nowarn",
              "-proc:none",
              "-parameters",
              "-g",
              "--release",
              "17",
              "-cp",
              everything,
              "-d",
              classes.toString());
      if (!compiler
          .getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
          .call()) {
        throw new IllegalStateException("the planted bug does not compile: " + said);
      }
    }
  }

  private List<String> classes(String module) {
    List<String> directories = new ArrayList<>();
    for (String name : List.of("test-classes", "classes")) {
      Path directory = root.resolve(module).resolve(target).resolve(name);
      if (Files.isDirectory(directory)) {
        directories.add(directory.toString());
      }
    }
    return directories;
  }

  private List<String> libraries(String module) throws IOException {
    Path file = root.resolve(module).resolve(target).resolve(CLASSPATH);
    if (!Files.exists(file)) {
      throw new IllegalArgumentException(
          "no module '" + module + "' has left its class path; there are " + modules);
    }
    return List.of(Files.readString(file).strip().split(File.pathSeparator));
  }
}
