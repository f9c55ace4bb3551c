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
  /** There was no room for the last group: it was refused, and the next one tries again. */
  FULL,
  /** There was no room to fold the last group, which is acknowledged: rows cannot be read. */
  BEHIND,
  /** The log failed: nothing is written any more, and the table has all that was acknowledged. */
  READ_ONLY,
  /** Nobody knows how far the last group came: nothing is written, and no row read. */
  FAILED;

  /** Where it may go from here. */
  Set<ShardState> next() {
    return switch (this) {
      case SERVING, FULL -> Set.of(SERVING, FOLDING, FULL, READ_ONLY, FAILED);
      case FOLDING -> Set.of(SERVING, FOLDING, BEHIND, FAILED);
      case BEHIND -> Set.of(SERVING, BEHIND, FAILED);
      case READ_ONLY -> Set.of(READ_ONLY, FAILED);
      case FAILED -> Set.of(FAILED);
    };
  }

  /** Whether nothing is written until the next start. */
  boolean isFinal() {
    return this == READ_ONLY || this == FAILED;
  }

  /** Whether rows lack something that was acknowledged, or may lack it. */
  boolean hidesRows() {
    return this == BEHIND || this == FAILED;
  }

  /** Whether it waits for room. */
  boolean wantsRoom() {
    return this == FULL || this == BEHIND;
  }
}
