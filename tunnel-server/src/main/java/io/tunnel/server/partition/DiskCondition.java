package io.tunnel.server.partition;

/** How a disk does, as {@code /health} says it; the later ones are worse. */
public enum DiskCondition {
  /** It takes what is written. */
  UP,
  /** A write or a sync is under way for longer than a disk should need. */
  DISK_STALLED,
  /** It has no room: writes are refused until it has. */
  DISK_FULL,
  /** It failed: nothing is written until the next start. */
  STORAGE_FAILED
}
