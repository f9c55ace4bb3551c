package io.tunnel.kafka.broker;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The class path of a child: the classes of its module, and the libraries that the build laid
 * beside the classes or into the jar.
 *
 * @param program the child's main class
 * @param name the directory of the libraries
 */
public record ChildLibraries(Class<?> program, String name) {

  /** The class path; libraries that are inside a jar are copied into {@code directory} first. */
  public String classPath(Path directory) throws IOException {
    Path own = ownPlace();
    Path libraries = own.resolve(name);
    if (Files.isRegularFile(own)) {
      libraries = directory.resolve(name);
      unpack(own, libraries);
    }
    if (!Files.isDirectory(libraries)) {
      throw new IOException(
          "there is no "
              + libraries
              + ": build the module with Maven, which fetches the libraries");
    }
    return own + File.pathSeparator + libraries.resolve("*");
  }

  private Path ownPlace() {
    try {
      return Path.of(program.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the classes of " + program + " are nowhere", e);
    }
  }

  private void unpack(Path jar, Path target) throws IOException {
    Files.createDirectories(target);
    try (JarFile file = new JarFile(jar.toFile())) {
      List<JarEntry> libraries =
          file.stream()
              .filter(entry -> entry.getName().startsWith(name + "/"))
              .filter(entry -> entry.getName().endsWith(".jar"))
              .toList();
      for (JarEntry library : libraries) {
        Path copy = target.resolve(library.getName().substring(name.length() + 1));
        if (Files.exists(copy) && Files.size(copy) == library.getSize()) {
          continue;
        }
        try (InputStream in = file.getInputStream(library)) {
          Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }
}
