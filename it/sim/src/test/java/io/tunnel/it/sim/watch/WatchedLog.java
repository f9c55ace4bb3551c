package io.tunnel.it.sim.watch;

import io.tunnel.it.sim.truth.PartitionTruth.Change;
import java.util.Optional;

/** The changes of a partition that count. */
public interface WatchedLog {

  int partition();

  /** Reads what was committed since. */
  void learn();

  /** The change at a position, if it counts. */
  Optional<Change> at(long position);

  /** The position of the first change that counts behind another. */
  Optional<Long> after(long position);

  /** How often power losses have taken changes away. */
  default long losses() {
    return 0;
  }

  /** How often the partition is of a restored server. */
  default long restores() {
    return 0;
  }

  /** Whether this change was committed at that position, and a loss of power took it away. */
  default boolean wasLost(long position, String text) {
    return false;
  }

  /**
   * Whether the log may have lost what is at a position, or what an answer said of the position,
   * because the log lost its end after that moment or shortly before.
   */
  default boolean mayBeCut(long nanos, long position) {
    return false;
  }

  /** Whether the table was dropped. */
  default boolean isGone() {
    return false;
  }
}
