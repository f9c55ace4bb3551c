package io.tunnel.server.partition;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;

/**
 * Refuses log and rows of a shard that the catalog next to them cannot be of, before a start
 * removes anything as the rest of a dropped table.
 *
 * @param shards how many there are
 */
record Belonging(int shard, int shards, OwnCatalog catalog) {

  /** A shard is made before its first partition: one that is missing was lost. */
  void requireThere(Path directory) throws IOException {
    boolean isExpected =
        catalog.partitionIds().stream().anyMatch(partition -> partition % shards == shard);
    if (isExpected && !Files.isDirectory(directory)) {
      throw new IOException(
          directory
              + " is missing, though tables have partitions there. Nothing was changed; restore"
              + " that directory from a backup");
    }
  }

  /** Rows that are not there are made of the log, which no start may do without all changes. */
  void requireRows(Path where, boolean cannotBeMade) throws IOException {
    if (cannotBeMade) {
      throw new IOException(
          where
              + " has no rows, and damaged changes of the log were trimmed. Nothing was changed;"
              + " restore the rows from a backup, or make them of the changes that are left:"
              + " ./tunnel doctor --salvage");
    }
  }

  /**
   * The catalog counts a partition before the first change of it can be written, so {@code found}
   * beyond its count are of a newer catalog, or of none that this one knows.
   */
  void requireGiven(Path where, Set<Integer> found) throws IOException {
    int last = found.isEmpty() ? 0 : Collections.max(found);
    if (last > catalog.lastPartition()) {
      throw new IOException(
          where
              + " has changes or rows of partition "
              + last
              + ", but the catalog has given out ids up to "
              + catalog.lastPartition()
              + " only: it is older, or another one. Nothing was changed; restore a newer"
              + " 'catalog', or the complete directory from one backup");
    }
  }
}
