package io.tunnel.server.backup;

import java.util.Locale;
import java.util.Objects;

/**
 * A file of a data directory as it is kept in a backup.
 *
 * @param path where it stands in the data directory
 * @param bytes how many, from its beginning
 * @param crc32c of these bytes
 * @param modifiedMs when the original was changed last; 0 for one that may still have grown, which
 *     is never taken for known
 */
record StoredFile(String path, long bytes, int crc32c, long modifiedMs) {

  /** Refuses null. */
  public StoredFile {
    Objects.requireNonNull(path, "path");
  }

  /** Under which it is kept: equal files are kept once. */
  String name() {
    String plain = path.substring(path.lastIndexOf('/') + 1);
    return String.format(Locale.ROOT, "%08x-%d-%s", crc32c, bytes, plain);
  }
}
