package io.tunnel.it.monitoring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of the repository that operators deploy, and the pages that explain them. */
public final class Deployed {

  private Deployed() {}

  /** A path of the repository. */
  public static Path path(String name) {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.isDirectory(here.resolve("docs")) ? here : here.getParent();
    return root.resolve(name);
  }

  /** The content of a file of the repository. */
  public static String text(String name) {
    try {
      return Files.readString(path(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
