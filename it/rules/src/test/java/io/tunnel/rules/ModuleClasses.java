package io.tunnel.rules;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.tunnel.texts.Modules;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The classes of all modules, as the present build has them. */
final class ModuleClasses {

  /** Modules that only {@code -Ppeers} builds; without it their classes may be old. */
  private static final List<String> PEERS = List.of("bench/peers", "bench/flink");

  private ModuleClasses() {}

  /** The classes of programs. */
  static JavaClasses main() {
    return classes("classes");
  }

  /** The classes of tests. */
  static JavaClasses tests() {
    return classes("test-classes");
  }

  private static JavaClasses classes(String kind) {
    Path build = build();
    List<Path> directories =
        Modules.all().stream()
            .filter(module -> Boolean.getBoolean("peers") || !PEERS.contains(Modules.name(module)))
            .map(module -> module.resolve(build).resolve(kind))
            .filter(Files::isDirectory)
            .toList();
    return new ClassFileImporter()
        .withImportOption(location -> !location.contains("/jmh_generated/"))
        .importPaths(directories);
  }

  /** {@code target}, with {@code -Dquick} one deeper. */
  private static Path build() {
    try {
      Path own =
          Path.of(ModuleClasses.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Modules.root().resolve("it/rules").relativize(own.getParent());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
