package io.tunnel.server.backup;

import java.util.List;
import java.util.Objects;

/**
 * One backup: the files of a data directory at a moment.
 *
 * @param format {@link io.tunnel.server.catalog.store.StoredForm#NUMBER}
 * @param number rises from set to set
 * @param takenMs when the copying began
 * @param shards number of shards of the data directory
 * @param level level of the data directory
 * @param counts number of tables and tunnels
 */
public record BackupSet(
    int format,
    long number,
    long takenMs,
    int shards,
    int level,
    Counts counts,
    List<StoredFile> files) {

  /** The name of a set's catalog, a JSON object of texts by name. */
  static final String CATALOG = "catalog.json";

  /** The numbers of tables and tunnels in the catalog. */
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

  /** The number of files. */
  public int fileCount() {
    return files.size();
  }
}
