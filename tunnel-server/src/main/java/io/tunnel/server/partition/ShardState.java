package io.tunnel.server.partition;

import java.util.Set;

/**
 * What the disk of a shard allows. {@code FOLDING} is passed by each group; the others are entered
 * when the disk refuses something.
 */
enum ShardState {
  /** Everything; all that is acknowledged is in the table. */
  SERVING,
  /** Everything; groups that are in the log, and acknowledged or about to be, may not be folded. */
  FOLDING,
  /** The disk had no space for the last group: the shard refused it; the next group tries again. */
  FULL,
  /** The disk had no space to fold an acknowledged group: the shard refuses reads of rows. */
  BEHIND,
  /** The log failed: the shard refuses writes, and the table has all acknowledged changes. */
  READ_ONLY,
  /** The outcome of the last group is unknown: the shard refuses writes and reads of rows. */
  FAILED;

  /** The states that may follow this state. */
  Set<ShardState> next() {
    return switch (this) {
      case SERVING, FULL -> Set.of(SERVING, FOLDING, FULL, READ_ONLY, FAILED);
      case FOLDING -> Set.of(SERVING, FOLDING, BEHIND, FAILED);
      case BEHIND -> Set.of(SERVING, BEHIND, FAILED);
      case READ_ONLY -> Set.of(READ_ONLY, FAILED);
      case FAILED -> Set.of(FAILED);
    };
  }

  /** Whether the shard refuses writes until the next start. */
  boolean isFinal() {
    return this == READ_ONLY || this == FAILED;
  }

  /** Whether the rows lack acknowledged changes, or may lack some. */
  boolean hidesRows() {
    return this == BEHIND || this == FAILED;
  }

  /** Whether the shard waits for disk space. */
  boolean wantsRoom() {
    return this == FULL || this == BEHIND;
  }
}
