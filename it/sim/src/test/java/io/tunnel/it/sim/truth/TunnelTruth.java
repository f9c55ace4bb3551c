package io.tunnel.it.sim.truth;

import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Skipped;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** A tunnel, with the rows that result from applying all inputs of its processors in order. */
public final class TunnelTruth {

  final TunnelInfo info;
  private final TreeMap<Integer, RowFold> folds = new TreeMap<>();

  /** Whether an operator skipped changes. */
  public boolean hasSkipped;

  /** Whether changes that it may have seen were lost with the power. */
  public boolean hasLost;

  /** When an operator last asked for something that takes channels from their holders. */
  long operatedNanos = Long.MIN_VALUE / 2;

  /** When an operator last moved channels. */
  long soughtNanos = Long.MIN_VALUE / 2;

  /** When an operator last moved channels. */
  public long soughtNanos() {
    return soughtNanos;
  }

  /** How many changes are stored as left out, named or not. */
  private long skips;

  /** Changes that the last write has counted as left out, and not named. */
  private long unnamed;

  TunnelTruth(TunnelInfo info) {
    this.info = info;
  }

  /**
   * Changes are stored as left out, in one write. Each of them is named, but for those in front of
   * the last {@link Skipped#LAST_MAX}.
   */
  void skipped(Collection<Long> ordinals) {
    List<Long> added = ordinals.stream().filter(each -> each > skips).sorted().toList();
    if (added.isEmpty()) {
      return;
    }
    long last = added.get(added.size() - 1);
    unnamed = last - skips - added.size();
    Invariant.CHECKPOINT_ONLY_OF_PROCESSED.require(
        unnamed == 0 || added.size() == Skipped.LAST_MAX,
        "%s: %d changes were stored as left out, then %d, and only %s are named",
        info.tunnel(),
        skips,
        last,
        added);
    skips = last;
  }

  /** The restored catalog counts {@code skipped} changes of the tunnel as left out. */
  void restored(long skipped) {
    skips = skipped;
    unnamed = 0;
    hasLost = true;
  }

  /** Takes one change that was counted as left out and not named; whether there was one. */
  boolean takeUnnamed() {
    if (unnamed == 0) {
      return false;
    }
    unnamed--;
    return true;
  }

  /** All of its channels were looked at behind the last write. */
  void looked() {
    unnamed = 0;
  }

  public RowFold fold(int partition) {
    return folds.computeIfAbsent(partition, id -> new RowFold());
  }
}
