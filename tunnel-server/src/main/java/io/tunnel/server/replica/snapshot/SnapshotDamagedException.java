package io.tunnel.server.replica.snapshot;

import java.io.IOException;

/**
 * A snapshot cannot be read from its blocks. Reading it again does not help; an older snapshot may
 * be intact.
 */
public final class SnapshotDamagedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Trouble trouble;
  private final long snapshot;
  private final int block;

  /** What is wrong. */
  public enum Trouble {
    /** The log has the block no more, or never had it. */
    MISSING,
    /** The bytes of the block are not those that were written. */
    DAMAGED,
    /** Two different blocks have one number. */
    DOUBLED,
    /** A block comes before its predecessor, or an entry before a lower one. */
    MISORDERED,
    /** The blocks are not as many, or do not have the entries, that the snapshot's record says. */
    MISCOUNTED
  }

  SnapshotDamagedException(Trouble trouble, int partition, long snapshot, int block, String why) {
    super(
        "block "
            + block
            + " of snapshot "
            + snapshot
            + " of partition "
            + partition
            + ": "
            + why
            + "; no node can begin with this snapshot");
    this.trouble = trouble;
    this.snapshot = snapshot;
    this.block = block;
  }

  /** What is wrong. */
  public Trouble trouble() {
    return trouble;
  }

  /** The id of the snapshot. */
  public long snapshot() {
    return snapshot;
  }

  /** The number of the block, from 0. */
  public int block() {
    return block;
  }
}
