package io.tunnel.server.disk;

/** How a disk does, as {@code /health} says it; the later ones are worse. */
public enum DiskCondition {
  /** The disk takes what is written. */
  UP,
  /** A write or a sync is under way for longer than a disk should need. */
  DISK_STALLED,
  /** The disk has no space: writes are refused until there is space. */
  DISK_FULL,
  /**
   * The disk failed. A shard writes nothing until the next start; a catalog, until it has read back
   * and written again what it holds.
   */
  STORAGE_FAILED;

  /** Whether writes are refused now. */
  public boolean refusesWrites() {
    return this == DISK_FULL || this == STORAGE_FAILED;
  }
}
