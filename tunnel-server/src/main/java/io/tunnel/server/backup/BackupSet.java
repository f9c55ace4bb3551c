package io.tunnel.server.backup;

import java.util.List;
import java.util.Objects;

/**
 * One backup: the files of a data directory at one time.
 *
 * @param format {@link io.tunnel.server.catalog.store.StoredForm#NUMBER}
 * @param number rises from set to set
 * @param takenMs when the copying began
 * @param shards number of shards of the data directory
 * @param level level of the data directory
 * @param counts number of tables and tunnels
 * @param service names the server or cluster; {@link #UNNAMED} in a set of 0.1.0
 */
public record BackupSet(
    int format,
    long number,
    long takenMs,
    int shards,
    int level,
    Counts counts,
    String service,
    List<StoredFile> files) {

  /** The service of each set of 0.1.0, whose lists have no service. No later backup has it. */
  public static final String UNNAMED = "unnamed";

  /** The name of a set's catalog, a JSON object of texts by name. */
  static final String CATALOG = "catalog.json";

  /** The numbers of tables and tunnels in the catalog. */
  public record Counts(int tables, int tunnels) {}

  /** Copies the list, and names the service where the list has none. */
  public BackupSet {
    Objects.requireNonNull(counts, "counts");
    service = service == null ? UNNAMED : service;
    files = List.copyOf(files);
  }

  /** Whether the backup is of this service. */
  public boolean isOf(String other) {
    return service.equals(other);
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
