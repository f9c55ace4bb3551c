package io.tunnel.flink.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** A user's jar: nothing but the program's own classes. */
final class JobJar {

  private JobJar() {}

  /** Writes it: that class, and those nested in it. */
  static Path write(Path directory, Class<?> program) throws IOException {
    Path jar = directory.resolve(program.getSimpleName() + ".jar");
    Path root = Path.of(program.getProtectionDomain().getCodeSource().getLocation().getPath());
    String name = program.getName().replace('.', '/');
    List<Path> classes;
    try (Stream<Path> files = Files.list(root.resolve(name).getParent())) {
      classes =
          files
              .filter(
                  file ->
                      file.getFileName()
                          .toString()
                          .matches(program.getSimpleName() + "(\\$.*)?\\.class"))
              .sorted()
              .toList();
    }
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      for (Path each : classes) {
        out.putNextEntry(new JarEntry(root.relativize(each).toString()));
        Files.copy(each, out);
        out.closeEntry();
      }
    }
    return jar;
  }
}
