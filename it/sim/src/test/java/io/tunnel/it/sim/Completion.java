package io.tunnel.it.sim;

import io.tunnel.it.sim.truth.ChannelTruth;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.it.sim.truth.TunnelTruth;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;

/** The final conditions of a world, after its last fault. */
public final class Completion {

  /** A look at the index comes each 100 ms, and finds a row late by a part of its time. */
  private static final long EXPIRY_LAG_MICROS_MAX = 1_000_000;

  private Completion() {}

  /** Whether nothing more will happen to a channel. */
  public static boolean isDone(World world, TunnelInfo tunnel, ChannelDescription view) {
    ChannelTruth truth = world.ledger.channels.get(view.channelId());
    if (view.status() == ChannelStatus.TERMINATED) {
      return true;
    }
    boolean mustEnd = view.type() == ChannelType.BaseData || tunnel.endMs().isPresent();
    return !mustEnd
        && view.checkpointed() == truth.partition.committed()
        && truth.firstMissing(truth.partition.committed()) < 0;
  }

  /** Requires that all work finishes in time, with the right result. */
  public static void require(World world, long seconds) {
    for (TunnelInfo tunnel : world.machine.tunnels()) {
      for (ChannelDescription view : world.machine.views(tunnel)) {
        if (view.status() == ChannelStatus.TERMINATED) {
          requireEnd(world, tunnel, view);
        } else {
          requireDelivered(world, tunnel, view, seconds);
        }
      }
      requireRows(world, tunnel);
    }
    world
        .ledger
        .existing()
        .forEach(each -> each.requireExpired(world.machine.nowMicros() - EXPIRY_LAG_MICROS_MAX));
  }

  private static void requireDelivered(
      World world, TunnelInfo tunnel, ChannelDescription view, long seconds) {
    ChannelTruth truth = world.ledger.channels.get(view.channelId());
    long missing = truth.firstMissing(truth.partition.committed());
    Invariant.EVERY_ACKNOWLEDGED_CHANGE_DELIVERED.require(
        missing < 0 || tunnel.endMs().isPresent(),
        "%d s after the last fault, %s has not processed %d of %d: %s",
        seconds,
        view.channelId(),
        missing,
        truth.partition.committed(),
        view);
    Invariant.LIVENESS.require(
        isDone(world, tunnel, view),
        "%d s after the last fault, %s is not done: it is at %d of %d: %s",
        seconds,
        view.channelId(),
        view.checkpointed(),
        truth.partition.committed(),
        view);
  }

  private static void requireEnd(World world, TunnelInfo tunnel, ChannelDescription view) {
    ChannelTruth truth = world.ledger.channels.get(view.channelId());
    // After a clock was set back, what is written next may have an earlier time than an end that
    // was found before.
    boolean isWhole = !truth.tunnel.hasLost && !world.machine.wasClockSetBack();
    boolean isKept = view.end().orElseThrow() >= truth.partition.first();
    if (isWhole && isKept && tunnel.endMs().isPresent()) {
      truth.partition.requireSplit(
          truth.start() + 1,
          view.end().orElseThrow(),
          tunnel.endMs().get(),
          view.channelId() + "'s end");
      world.count(Happening.END_COMPARED);
    }
  }

  /**
   * A processor that applied what it was given, rows and changes, in order, has the table's rows.
   */
  private static void requireRows(World world, TunnelInfo tunnel) {
    TunnelTruth truth = world.ledger.tunnels.get(tunnel.tunnelId());
    if (tunnel.type() == TunnelType.BaseAndStream && !truth.hasLost && !truth.hasSkipped) {
      for (PartitionTruth partition : world.ledger.existing()) {
        if (!world.ledger.tableOf(partition.id).name.equals(tunnel.table())) {
          continue;
        }
        RowFold expected = partition.fold(partition.committed());
        Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
            truth.fold(partition.id).rows().equals(expected.rows()),
            "partition %d of %s: %s instead of %s",
            partition.id,
            tunnel.tunnel(),
            truth.fold(partition.id).rows(),
            expected.rows());
        world.count(Happening.ROWS_COMPARED);
      }
    }
  }
}
