package io.tunnel.server.security.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * What tells one content of a file from the next: when it was changed, how long it is, which it is.
 */
final class FileMark {

  private FileMark() {}

  /** Of a file that is not there, or cannot be looked at, one of its own. */
  static String of(Path file) {
    try {
      BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
      return seen.lastModifiedTime() + "/" + seen.size() + "/" + seen.fileKey();
    } catch (IOException e) {
      return "none";
    }
  }
}
