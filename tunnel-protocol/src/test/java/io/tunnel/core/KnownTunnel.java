package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A tunnel as its workers, its operators and the catalog know it, who are told all that a {@link
 * TunnelCore} decides.
 */
final class KnownTunnel {

  static final long EPOCH_BASE = 1L << 32;
  static final long REVOKE_NANOS = 50;

  /** What a worker's session may do. */
  static final class Worker {
    final long leaseNanos;
    final int channelsMax;
    long deadlineNanos;

    Worker(long leaseNanos, int channelsMax) {
      this.leaseNanos = leaseNanos;
      this.channelsMax = channelsMax;
    }
  }

  /** A channel as workers, operators and the catalog know it. */
  static final class Channel {
    final ChannelKey key;
    final List<Channel> waitsFor = new ArrayList<>();
    String holder;
    long epoch;
    long revokedUntil = -1;
    long checkpointed;
    long delivered;
    Long end;
    boolean isFinished;
    boolean isPaused;
    String error;
    boolean isInDoubt;

    /** Whether the last holder gave the channel back after it had checkpointed everything. */
    boolean wasGraceful = true;

    Channel(ChannelKey key) {
      this.key = key;
    }

    boolean isAtEnd() {
      return end != null && end == checkpointed;
    }

    boolean isReady() {
      return waitsFor.stream().allMatch(other -> other.isFinished);
    }

    ChannelState state() {
      return new ChannelState(
          checkpointed,
          Bytes.EMPTY,
          Optional.ofNullable(end),
          isFinished,
          isPaused,
          Optional.ofNullable(error).map(StopReason::of));
    }
  }

  final Map<ChannelKey, Channel> channels = new TreeMap<>();
  final Map<String, Worker> workers = new LinkedHashMap<>();

  /** Every assignment that there ever was. */
  final List<TunnelEffect.Assign> formerHolds = new ArrayList<>();

  /** Sessions that ended in the last step. */
  final List<String> over = new ArrayList<>();

  boolean isPaused;
  long nowNanos;
  private long lastEpoch = EPOCH_BASE;

  /** Applies the decisions of a core, and requires that they agree with the known state. */
  void apply(List<TunnelEffect> effects) {
    for (TunnelEffect effect : effects) {
      if (effect instanceof TunnelEffect.Assign assign) {
        assigned(assign);
      } else if (effect instanceof TunnelEffect.Revoke revoke) {
        Channel channel = channels.get(revoke.channel());
        assertThat(channel.holder).isEqualTo(revoke.sessionId());
        assertThat(channel.epoch).isEqualTo(revoke.epoch());
        assertThat(channel.revokedUntil).as("asked for once").isNegative();
        channel.revokedUntil = nowNanos + REVOKE_NANOS;
      } else if (effect instanceof TunnelEffect.Take take) {
        taken(take);
      } else if (effect instanceof TunnelEffect.Finish finish) {
        Channel channel = channels.get(finish.channel());
        assertThat(channel.holder).isNull();
        assertThat(channel.isAtEnd()).as("%s at its end", channel.key).isTrue();
        assertThat(finish.end()).isEqualTo(channel.checkpointed);
        channel.isFinished = true;
        channel.error = null;
      } else if (effect instanceof TunnelEffect.SessionOver ended) {
        over.add(ended.sessionId());
        assertThat(held(ended.sessionId())).as("taken before").isZero();
      }
    }
  }

  private void taken(TunnelEffect.Take take) {
    Channel channel = channels.get(take.channel());
    assertThat(channel.holder).isEqualTo(take.sessionId());
    assertThat(channel.epoch).isEqualTo(take.epoch());
    if (take.reason() == TakeReason.DEADLINE) {
      assertThat(channel.revokedUntil).isBetween(0L, nowNanos);
    }
    boolean isReread = channel.key.type() == ChannelType.BaseData && !channel.isAtEnd();
    if (isReread && take.reason() != TakeReason.MOVED) {
      channel.end = null;
    }
    channel.holder = null;
    channel.revokedUntil = -1;
  }

  private void assigned(TunnelEffect.Assign assign) {
    Channel channel = channels.get(assign.channel());
    assertThat(channel.holder).as("holder before %s", assign).isNull();
    assertThat(isWanted(channel)).as("%s may be held", channel.key).isTrue();
    assertThat(channel.isFinished).isFalse();
    assertThat(channel.isInDoubt).as("%s may be stored further on", channel.key).isFalse();
    assertThat(workers).containsKey(assign.sessionId());
    assertThat(assign.epoch()).isGreaterThan(lastEpoch);
    assertThat(assign.checkpointed()).isEqualTo(channel.checkpointed);
    if (channel.wasGraceful) {
      assertThat(assign.checkpointed()).as("nothing twice").isEqualTo(channel.delivered);
    }
    lastEpoch = assign.epoch();
    channel.holder = assign.sessionId();
    channel.epoch = assign.epoch();
    channel.revokedUntil = -1;
    channel.delivered = assign.checkpointed();
    channel.wasGraceful = false;
    formerHolds.add(assign);
    int max = workers.get(assign.sessionId()).channelsMax;
    assertThat(max == 0 || held(assign.sessionId()) <= max).as("room for %s", assign).isTrue();
  }

  private boolean isWanted(Channel channel) {
    return !isPaused && !channel.isPaused && channel.error == null && channel.isReady();
  }

  private long held(String worker) {
    return channels.values().stream().filter(c -> worker.equals(c.holder)).count();
  }

  private boolean hasRoom(String worker) {
    int max = workers.get(worker).channelsMax;
    return max == 0 || held(worker) < max;
  }

  /** What a core says of itself is what is known, and nobody waits for nothing. */
  void requireInvariants(TunnelCore core) {
    boolean isMoving = false;
    for (TunnelCore.View view : core.view()) {
      Channel channel = channels.get(view.key());
      assertThat(view.owner().orElse(null)).isEqualTo(channel.holder);
      assertThat(view.checkpointed()).isEqualTo(channel.checkpointed);
      assertThat(view.end().orElse(null)).isEqualTo(channel.end);
      assertThat(view.error().orElse(null)).isEqualTo(channel.error);
      assertThat(view.isPaused()).isEqualTo(isPaused || channel.isPaused);
      assertThat(view.status()).as("%s", channel.key).isEqualTo(status(channel));
      assertThat(view.waitsFor().isEmpty()).isEqualTo(channel.isReady());
      assertThat(view.status() == ChannelStatus.OPEN && !isWanted(channel))
          .as("%s is held and must not be", channel.key)
          .isFalse();
      boolean isDone = channel.holder == null && channel.isAtEnd() && channel.isReady();
      assertThat(isDone && !channel.isFinished).as("%s is done", channel.key).isFalse();
      isMoving |= view.status() == ChannelStatus.CLOSING;
    }
    requireNobodyWaitsForNothing();
    if (!isMoving) {
      requireEven();
    }
  }

  private static ChannelStatus status(Channel channel) {
    if (channel.isFinished) {
      return ChannelStatus.TERMINATED;
    }
    if (channel.holder == null) {
      return ChannelStatus.WAIT;
    }
    return channel.revokedUntil < 0 ? ChannelStatus.OPEN : ChannelStatus.CLOSING;
  }

  private void requireNobodyWaitsForNothing() {
    for (Channel channel : channels.values()) {
      for (String worker : workers.keySet()) {
        boolean couldBeHeld =
            channel.holder == null
                && !channel.isFinished
                && !channel.isInDoubt
                && isWanted(channel)
                && hasRoom(worker);
        assertThat(couldBeHeld).as("%s waits, %s has room", channel.key, worker).isFalse();
      }
    }
  }

  private void requireEven() {
    for (String worker : workers.keySet()) {
      for (String other : workers.keySet()) {
        if (hasRoom(worker)) {
          assertThat(held(other) - held(worker)).as("%s and %s", other, worker).isLessThan(2);
        }
      }
    }
  }
}
