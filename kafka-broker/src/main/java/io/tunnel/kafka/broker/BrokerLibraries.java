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
 * The child's class path: our own classes, and the libraries that the build laid beside them, or
 * into our jar.
 */
final class BrokerLibraries {

  private static final String DIRECTORY = "broker-libraries";

  private BrokerLibraries() {}

  /** The class path; libraries that are inside a jar are copied into {@code directory} first. */
  static String classPath(Path directory) throws IOException {
    Path own = ownPlace();
    Path libraries = own.resolve(DIRECTORY);
    if (Files.isRegularFile(own)) {
      libraries = directory.resolve(DIRECTORY);
      unpack(own, libraries);
    }
    if (!Files.isDirectory(libraries)) {
      throw new IOException(
          "there is no "
              + libraries
              + ": build the module kafka-broker with Maven, which fetches the broker");
    }
    return own + File.pathSeparator + libraries.resolve("*");
  }

  private static Path ownPlace() {
    try {
      return Path.of(
          BrokerLibraries.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("our own classes are nowhere", e);
    }
  }

  private static void unpack(Path jar, Path target) throws IOException {
    Files.createDirectories(target);
    try (JarFile file = new JarFile(jar.toFile())) {
      List<JarEntry> libraries =
          file.stream()
              .filter(entry -> entry.getName().startsWith(DIRECTORY + "/"))
              .filter(entry -> entry.getName().endsWith(".jar"))
              .toList();
      for (JarEntry library : libraries) {
        Path copy = target.resolve(library.getName().substring(DIRECTORY.length() + 1));
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
