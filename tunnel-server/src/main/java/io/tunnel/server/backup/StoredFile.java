package io.tunnel.server.backup;

import java.util.Locale;
import java.util.Objects;

/**
 * A file of a data directory in a backup.
 *
 * @param path the path within the data directory
 * @param bytes number of bytes, from the file's beginning
 * @param crc32c checksum of these bytes
 * @param modifiedMs last change of the original; 0 for a file that may still grow, which is copied
 *     by every backup
 */
record StoredFile(String path, long bytes, int crc32c, long modifiedMs) {

  /** Refuses null. */
  public StoredFile {
    Objects.requireNonNull(path, "path");
  }

  /** The name of the kept file; equal files share it. */
  String name() {
    String plain = path.substring(path.lastIndexOf('/') + 1);
    return String.format(Locale.ROOT, "%08x-%d-%s", crc32c, bytes, plain);
  }
}
