package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import java.util.List;

/** A step that a node is to make for the snapshots of its replicas; see {@link SnapshotsCore}. */
sealed interface SnapshotStep {

  /** The partition. */
  int partition();

  /** The lane of the replica. */
  long lane();

  /** Read the records at these offsets, which name snapshots. */
  record Recall(int partition, long lane, List<Long> offsets) implements SnapshotStep {
    /** Takes a copy. */
    public Recall {
      offsets = List.copyOf(offsets);
    }
  }

  /**
   * Take a snapshot.
   *
   * @param attempt counts the snapshots of the epoch
   */
  record Take(int partition, long lane, long epoch, int attempt) implements SnapshotStep {}

  /** Read all blocks of a snapshot back. */
  record Verify(int partition, long lane, Snapshot snapshot) implements SnapshotStep {}

  /** Ask other nodes for the newest snapshot that a node has read back. */
  record Ask(int partition, long lane) implements SnapshotStep {}

  /** Find out where the changes begin that the table's retention keeps. */
  record Search(int partition, long lane, long epoch) implements SnapshotStep {}

  /** Delete the records before {@code offset} in one of the two logs of a partition. */
  record Delete(int partition, long lane, Kind of, long offset) implements SnapshotStep {}

  /** The logs of a partition. */
  enum Kind {
    /** Of appends. */
    LOG,
    /** Of the blocks of snapshots. */
    BLOCKS
  }
}
