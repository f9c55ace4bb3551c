package io.tunnel.texts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The directories of the project's modules, their sources, and the pages. */
public final class Modules {

  private static final Path ROOT = root(ownClasses());

  private Modules() {}

  /** Where this class is: a directory of classes, or the jar of this module. */
  private static Path ownClasses() {
    try {
      return Path.of(Modules.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** This module is two levels below the project's directory. */
  private static Path root(Path classes) {
    Path directory = classes;
    while (!Files.exists(directory.resolve("pom.xml"))) {
      directory = directory.getParent();
    }
    return directory.getParent().getParent();
  }

  /** The project's directory. */
  public static Path root() {
    return ROOT;
  }

  /** Directories with a module, those inside of other modules too. */
  public static List<Path> all() {
    try (Stream<Path> files = Files.walk(root(), 2)) {
      return files
          .filter(directory -> !directory.equals(root()))
          .filter(directory -> Files.exists(directory.resolve("pom.xml")))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The pages: three in the project's directory, then those of {@code docs}. */
  public static List<Path> pages() {
    try (Stream<Path> docs = Files.walk(root().resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md").map(root()::resolve),
              docs.filter(file -> file.toString().endsWith(".md")).sorted())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How a directory is called from the project's root. */
  public static String name(Path path) {
    return root().relativize(path).toString();
  }

  /** The Java files of a module below {@code src/KIND/java}. */
  public static List<Path> sources(Path module, String kind) {
    Path sources = module.resolve("src").resolve(kind).resolve("java");
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
