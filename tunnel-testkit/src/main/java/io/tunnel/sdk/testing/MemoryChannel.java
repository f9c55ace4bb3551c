package io.tunnel.sdk.testing;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.StopReason;
import io.tunnel.core.TunnelCore;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.testing.table.ChannelSource;
import io.tunnel.sdk.testing.table.MemoryPartition;
import io.tunnel.wire.control.Control.ChannelDescription;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One channel of a tunnel: its stored state, the source of its changes, and its hold. {@link
 * TunnelCore} decides who holds it.
 */
final class MemoryChannel {

  private final String tunnelId;
  private final ChannelKey key;
  private final MemoryPartition partition;
  private final ChannelSource source;
  private ChannelState state;
  private Optional<Hold> hold = Optional.empty();

  /** A channel without a holder. */
  MemoryChannel(
      String tunnelId,
      ChannelKey key,
      MemoryPartition partition,
      ChannelSource source,
      ChannelState state) {
    this.tunnelId = tunnelId;
    this.key = key;
    this.partition = partition;
    this.source = source;
    this.state = state;
  }

  String id() {
    return key.channelId(tunnelId);
  }

  ChannelKey key() {
    return key;
  }

  ChannelType type() {
    return key.type();
  }

  MemoryPartition partition() {
    return partition;
  }

  ChannelSource source() {
    return source;
  }

  ChannelState state() {
    return state;
  }

  void store(ChannelState now) {
    state = now;
  }

  Optional<Hold> hold() {
    return hold;
  }

  long checkpointed() {
    return state.checkpointed();
  }

  void assigned(Hold to) {
    hold = Optional.of(to);
  }

  /** Ends the hold, if there is one. */
  void taken() {
    hold.ifPresent(Hold::taken);
    hold = Optional.empty();
  }

  /** Moves the channel behind another position, and returns the state that is stored now. */
  ChannelState moveTo(long position, Bytes lastKey, Optional<Long> end) {
    source.moveTo(position, lastKey);
    state = state.movedTo(position, lastKey, end);
    return state;
  }

  /**
   * Crashes with the server: the channel loses its holder, and a checkpoint behind lost changes is
   * rolled back.
   */
  void crashed() {
    taken();
    if (type() == ChannelType.Stream) {
      state = state.rolledBack(partition.committed());
    } else if (!state.isFinished()) {
      source.crashed(state.checkpointed());
    }
  }

  /** Whether all present changes are processed. */
  boolean isProcessed() {
    return state.isFinished()
        || (type() == ChannelType.Stream
            && checkpointed()
                >= Math.min(partition.committed(), state.end().orElse(Long.MAX_VALUE)));
  }

  /** The position of the last delivered change; without a holder, the checkpoint. */
  private long delivered() {
    return hold.map(Hold::delivered).orElse(checkpointed());
  }

  /** Adds the positions of the partition to what the core says. */
  ChannelDescription describe(TunnelCore.View view, long nowMicros) {
    boolean isStream = type() == ChannelType.Stream;
    long committed = Math.max(source.committed(delivered()), delivered());
    // Before the end of a base channel is known, all rows of the partition count.
    long rows = view.end().orElse((long) partition.rows().size());
    return new ChannelDescription(
        id(),
        partition.id(),
        view.status(),
        view.owner(),
        view.clientTag(),
        view.epoch(),
        view.checkpointed(),
        delivered(),
        committed,
        isStream ? committed - checkpointed() : Math.max(0, rows - checkpointed()),
        isStream ? partition.bytesAfter(checkpointed()) : 0,
        isStream ? lagMs(nowMicros) : 0,
        key.type(),
        view.isPaused(),
        view.end(),
        view.error(),
        view.waitsFor().stream().map(other -> other.channelId(tunnelId)).toList(),
        Optional.empty(),
        state.stop().flatMap(StopReason::at),
        hold.flatMap(Hold::retry));
  }

  private long lagMs(long nowMicros) {
    return partition
        .commitMicrosAfter(checkpointed())
        .map(micros -> TimeUnit.MICROSECONDS.toMillis(nowMicros - micros))
        .orElse(0L);
  }
}
