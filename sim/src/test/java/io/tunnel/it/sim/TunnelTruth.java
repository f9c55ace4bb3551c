package io.tunnel.it.sim;

import io.tunnel.wire.Control.TunnelInfo;
import java.util.TreeMap;

/** A tunnel: what somebody has who applies all that its processors were given, in their order. */
final class TunnelTruth {

  final TunnelInfo info;
  private final TreeMap<Integer, RowFold> folds = new TreeMap<>();

  /** Whether an operator skipped changes. */
  boolean hasSkipped;

  /** Whether changes that it may have seen were lost with the power. */
  boolean hasLost;

  /** When an operator last asked for something that takes channels from their holders. */
  long operatedNanos = Long.MIN_VALUE / 2;

  /** When an operator last moved channels. */
  long soughtNanos = Long.MIN_VALUE / 2;

  TunnelTruth(TunnelInfo info) {
    this.info = info;
  }

  RowFold fold(int partition) {
    return folds.computeIfAbsent(partition, id -> new RowFold());
  }
}
