package io.tunnel.server.check;

import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the parts of a data directory say, each for itself.
 *
 * @param lastPartition the highest id that was ever given to a partition
 */
record DirectoryFacts(
    int lastPartition,
    List<PartitionFacts> partitions,
    List<CheckpointFacts> checkpoints,
    List<ShardFacts> shards) {

  DirectoryFacts {
    partitions = List.copyOf(partitions);
    checkpoints = List.copyOf(checkpoints);
    shards = List.copyOf(shards);
  }

  /**
   * A partition of a table.
   *
   * @param isSynced whether an acknowledged change survives the loss of power
   */
  record PartitionFacts(int id, String table, boolean isSynced) {}

  /** How far a tunnel is in a partition. */
  record CheckpointFacts(String table, String tunnel, int partition, long position) {}

  /**
   * A shard.
   *
   * @param logEnd offset after the last intact group
   * @param wholeFrom offset from which on no file was deleted
   * @param committed by partition, the position of its last change
   * @param givenUp by partition, the position up to which changes were trimmed
   * @param folded offset up to which the rows are folded; absent when there are none to read
   * @param isGroupEnd whether a group ends at that offset
   * @param rowPartitions partitions that have rows
   */
  record ShardFacts(
      int id,
      long logEnd,
      long wholeFrom,
      SortedMap<Integer, Long> committed,
      SortedMap<Integer, Long> givenUp,
      OptionalLong folded,
      boolean isGroupEnd,
      SortedSet<Integer> rowPartitions) {

    ShardFacts {
      committed = Collections.unmodifiableSortedMap(new TreeMap<>(committed));
      givenUp = Collections.unmodifiableSortedMap(new TreeMap<>(givenUp));
      rowPartitions = Collections.unmodifiableSortedSet(new TreeSet<>(rowPartitions));
    }
  }
}
