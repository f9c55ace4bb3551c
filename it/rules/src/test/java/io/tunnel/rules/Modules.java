package io.tunnel.rules;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The modules of the project as they lie on the disk: sources, and classes that the build left. */
final class Modules {

  /** {@code it/rules/target/test-classes}, with {@code -Dquick} one deeper. */
  private static final Path OWN_CLASSES = ownClasses();

  private static final Path OWN_MODULE = moduleOf(OWN_CLASSES);

  /** Modules that only {@code -Ppeers} builds; without it their classes may be old. */
  private static final List<String> PEERS = List.of("bench/peers", "bench/flink");

  private Modules() {}

  private static Path ownClasses() {
    try {
      return Path.of(Modules.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path moduleOf(Path classes) {
    Path directory = classes;
    while (!Files.exists(directory.resolve("pom.xml"))) {
      directory = directory.getParent();
    }
    return directory;
  }

  /** The project's directory. */
  static Path root() {
    return OWN_MODULE.getParent().getParent();
  }

  /** Directories with a module, those inside of other modules too. */
  static List<Path> all() {
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
  static List<Path> pages() {
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
  static String name(Path path) {
    return root().relativize(path).toString();
  }

  /** The classes of programs. */
  static JavaClasses main() {
    return classes("classes");
  }

  /** The classes of tests. */
  static JavaClasses tests() {
    return classes("test-classes");
  }

  private static JavaClasses classes(String kind) {
    Path build = OWN_MODULE.relativize(OWN_CLASSES.getParent());
    List<Path> directories =
        all().stream()
            .filter(module -> Boolean.getBoolean("peers") || !PEERS.contains(name(module)))
            .map(module -> module.resolve(build).resolve(kind))
            .filter(Files::isDirectory)
            .toList();
    return new ClassFileImporter()
        .withImportOption(location -> !location.contains("/jmh_generated/"))
        .importPaths(directories);
  }

  /** The Java files of a module below {@code src/KIND/java}. */
  static List<Path> sources(Path module, String kind) {
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
