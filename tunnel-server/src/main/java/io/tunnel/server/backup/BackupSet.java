package io.tunnel.server.backup;

import java.util.List;
import java.util.Objects;

/**
 * Files that belong together: a data directory as it was at a moment.
 *
 * @param format of this record; 1
 * @param number rises from set to set
 * @param takenMs when the copying began
 * @param shards how many the data directory has
 * @param counts what is in its catalog
 */
public record BackupSet(
    int format, long number, long takenMs, int shards, Counts counts, List<StoredFile> files) {

  static final int FORMAT = 1;

  /** Where a set keeps its catalog, as JSON by name. */
  static final String CATALOG = "catalog.json";

  /** How many there are in the catalog. */
  public record Counts(int tables, int tunnels) {}

  /** Copies the list. */
  public BackupSet {
    Objects.requireNonNull(counts, "counts");
    files = List.copyOf(files);
  }

  /** Bytes of all files. */
  public long bytes() {
    return files.stream().mapToLong(StoredFile::bytes).sum();
  }

  /** How many files. */
  public int fileCount() {
    return files.size();
  }
}
