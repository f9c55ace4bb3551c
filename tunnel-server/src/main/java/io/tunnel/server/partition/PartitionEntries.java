package io.tunnel.server.partition;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.KeyRange;
import io.tunnel.server.table.PartitionScan;
import io.tunnel.server.table.TableStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The entries of a partition that a shard has in memory, as the table has them.
 *
 * @param bound of the rows
 * @param writers by principal and id
 * @param sessions of bound rows, by key
 */
public record PartitionEntries(
    Optional<Bytes> bound, Map<Bytes, Bytes> writers, Map<Bytes, Bytes> sessions) {

  /** Keeps copies. */
  public PartitionEntries {
    writers = Map.copyOf(writers);
    sessions = Map.copyOf(sessions);
  }

  /**
   * Reads the entries, for any thread. Passes over the index of expiry, and stops before the rows.
   *
   * @throws io.tunnel.model.RefusedException when the table cannot be read
   */
  public static PartitionEntries of(TableStore table, int partition) {
    Map<KeyRange, Map<Bytes, Bytes>> found = new HashMap<>();
    try (PartitionScan scan = table.scanEntries(partition)) {
      boolean unused =
          scan.run(
              (range, key, keyOffset, value) -> {
                if (range == KeyRange.BOUND
                    || range == KeyRange.WRITER
                    || range == KeyRange.SESSION) {
                  found
                      .computeIfAbsent(range, any -> new HashMap<>())
                      .put(
                          Bytes.copyOf(key, keyOffset, key.length - keyOffset),
                          Bytes.copyOf(value));
                }
                return range != KeyRange.ROW;
              });
    }
    return new PartitionEntries(
        found.getOrDefault(KeyRange.BOUND, Map.of()).values().stream().findFirst(),
        found.getOrDefault(KeyRange.WRITER, Map.of()),
        found.getOrDefault(KeyRange.SESSION, Map.of()));
  }
}
