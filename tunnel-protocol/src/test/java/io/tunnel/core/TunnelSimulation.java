package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.TunnelEffect.OverReason;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Workers that come, go, fall silent, process, checkpoint, release and stop at random, operators
 * that pause, resume, seek and end sessions, a store that does not answer, and a server that fails,
 * over a {@link TunnelCore} that is compared with what they know after every step. Partitions are
 * split from others and merged of others at random.
 */
final class TunnelSimulation {

  private final Random random;
  private final TunnelCore core;
  private final KnownTunnel tunnel = new KnownTunnel();
  private int lastWorker;

  TunnelSimulation(long seed) {
    random = new Random(seed);
    boolean hasBase = random.nextBoolean();
    int partitions = 1 + random.nextInt(8);
    for (int partition = 1; partition <= partitions; partition++) {
      KnownTunnel.Channel stream = add(ChannelKey.stream(partition));
      if (hasBase) {
        stream.waitsFor.add(add(ChannelKey.base(partition)));
      }
      for (int parents = random.nextInt(3); parents > 0 && partition > 1; parents--) {
        KnownTunnel.Channel parent =
            tunnel.channels.get(ChannelKey.stream(1 + random.nextInt(partition - 1)));
        if (!stream.waitsFor.contains(parent)) {
          stream.waitsFor.add(parent);
        }
      }
    }
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    Map<ChannelKey, List<ChannelKey>> waitsFor = new TreeMap<>();
    tunnel.channels.forEach(
        (key, channel) -> {
          states.put(key, channel.state());
          waitsFor.put(key, channel.waitsFor.stream().map(other -> other.key).toList());
        });
    core =
        new TunnelCore(states, waitsFor, false, KnownTunnel.EPOCH_BASE, KnownTunnel.REVOKE_NANOS);
    tunnel.apply(core.start());
    tunnel.requireInvariants(core);
  }

  private KnownTunnel.Channel add(ChannelKey key) {
    KnownTunnel.Channel channel = new KnownTunnel.Channel(key);
    channel.checkpointed = random.nextInt(100);
    channel.delivered = channel.checkpointed;
    if (key.type() == ChannelType.Stream && random.nextInt(3) == 0) {
      channel.end = channel.checkpointed + random.nextInt(20);
    }
    tunnel.channels.put(key, channel);
    return channel;
  }

  void step() {
    switch (random.nextInt(22)) {
      case 0, 1 -> open();
      case 2 -> close(OverReason.CLOSED);
      case 3 -> tick();
      case 4, 5 -> heartbeat();
      case 6, 7 -> process();
      case 8 -> checkpoint();
      case 9, 10 -> releaseGracefully();
      case 11 -> releaseUnasked();
      case 12 -> stop();
      case 13 -> pauseChannel();
      case 14 -> pauseTunnel();
      case 15 -> resumeAll();
      case 16, 17 -> findEnd();
      case 18 -> seek();
      case 19 -> close(random.nextBoolean() ? OverReason.OPERATOR : OverReason.DISCONNECTED);
      case 20 -> beFenced();
      default -> checkpointBadly();
    }
    tunnel.requireInvariants(core);
  }

  private void open() {
    if (tunnel.workers.size() < 4) {
      String id = "w" + ++lastWorker;
      int max = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
      KnownTunnel.Worker worker = new KnownTunnel.Worker(20 + random.nextInt(200), max);
      worker.deadlineNanos = tunnel.nowNanos + worker.leaseNanos;
      tunnel.workers.put(id, worker);
      tunnel.apply(core.open(id, "tag", worker.leaseNanos, max, tunnel.nowNanos));
    }
  }

  private String anyWorker() {
    List<String> ids = new ArrayList<>(tunnel.workers.keySet());
    return ids.isEmpty() ? "nobody" : ids.get(random.nextInt(ids.size()));
  }

  private void close(OverReason reason) {
    String id = anyWorker();
    boolean wasOpen = tunnel.workers.remove(id) != null;
    List<TunnelEffect> effects = core.end(List.of(id), reason, tunnel.nowNanos);
    tunnel.over.clear();
    tunnel.apply(effects);
    assertThat(tunnel.over).isEqualTo(wasOpen ? List.of(id) : List.of());
    if (wasOpen) {
      assertThat(effects)
          .filteredOn(effect -> effect instanceof TunnelEffect.Take)
          .allMatch(effect -> ((TunnelEffect.Take) effect).reason() == reason.taken());
    }
  }

  private void tick() {
    tunnel.nowNanos += random.nextInt(60);
    List<String> expired =
        tunnel.workers.keySet().stream()
            .filter(id -> tunnel.workers.get(id).deadlineNanos <= tunnel.nowNanos)
            .toList();
    tunnel.workers.keySet().removeAll(expired);
    tunnel.over.clear();
    boolean isCertain = random.nextBoolean();
    if (isCertain) {
      tunnel.channels.values().forEach(channel -> channel.isInDoubt = false);
    }
    tunnel.apply(core.tick(tunnel.nowNanos, isCertain));
    assertThat(tunnel.over).isEqualTo(expired);
    for (KnownTunnel.Channel channel : tunnel.channels.values()) {
      boolean isOverdue =
          channel.holder != null
              && channel.revokedUntil >= 0
              && channel.revokedUntil <= tunnel.nowNanos;
      assertThat(isOverdue).as("a deadline that has passed").isFalse();
    }
  }

  private void heartbeat() {
    String id = anyWorker();
    if (tunnel.workers.containsKey(id)) {
      core.heartbeat(id, tunnel.nowNanos);
      tunnel.workers.get(id).deadlineNanos = tunnel.nowNanos + tunnel.workers.get(id).leaseNanos;
    } else {
      requireRefused(ErrorCode.SESSION_ENDED, () -> core.heartbeat(id, tunnel.nowNanos));
    }
  }

  private KnownTunnel.Channel any() {
    return List.copyOf(tunnel.channels.values()).get(random.nextInt(tunnel.channels.size()));
  }

  private void process() {
    KnownTunnel.Channel channel = any();
    if (channel.holder != null && channel.revokedUntil < 0) {
      long last = channel.end == null ? Long.MAX_VALUE : channel.end;
      channel.delivered = Math.min(last, channel.delivered + random.nextInt(10));
    }
  }

  private void checkpoint() {
    KnownTunnel.Channel channel = any();
    if (channel.holder != null) {
      long span = channel.delivered - channel.checkpointed;
      checkpoint(channel, channel.checkpointed + (long) (random.nextDouble() * (span + 1)));
      if (random.nextInt(4) == 0) {
        channel.isInDoubt = true;
        core.doubt(channel.key);
      }
    }
  }

  private void checkpoint(KnownTunnel.Channel channel, long position) {
    boolean isNews =
        core.mayCheckpoint(channel.holder, channel.key, channel.epoch, position, channel.delivered);
    assertThat(isNews).isEqualTo(position > channel.checkpointed);
    if (isNews) {
      core.checkpointed(channel.key, position);
      channel.checkpointed = position;
      channel.isInDoubt = false;
    }
  }

  private void checkpointBadly() {
    KnownTunnel.Channel channel = any();
    if (channel.holder != null) {
      for (long position : new long[] {channel.checkpointed - 1, channel.delivered + 1}) {
        requireRefused(
            ErrorCode.INVALID_CHECKPOINT,
            () ->
                core.mayCheckpoint(
                    channel.holder, channel.key, channel.epoch, position, channel.delivered));
      }
    }
  }

  /** Processes what was delivered, checkpoints it and gives the channel back as it was asked to. */
  private void releaseGracefully() {
    KnownTunnel.Channel channel = any();
    boolean isDone = channel.end != null && channel.delivered == channel.end;
    if (channel.holder != null && (channel.revokedUntil >= 0 || isDone)) {
      checkpoint(channel, channel.delivered);
      channel.wasGraceful = true;
      tunnel.apply(core.release(channel.holder, channel.key, channel.epoch, tunnel.nowNanos));
    }
  }

  private void releaseUnasked() {
    KnownTunnel.Channel channel = any();
    if (channel.holder != null && channel.revokedUntil < 0 && random.nextInt(3) == 0) {
      tunnel.apply(core.release(channel.holder, channel.key, channel.epoch, tunnel.nowNanos));
    }
  }

  /** The worker cannot go on with a channel: nobody may get it. */
  private void stop() {
    KnownTunnel.Channel channel = any();
    if (channel.holder != null) {
      channel.error = "broken " + tunnel.nowNanos;
      tunnel.apply(
          core.stop(channel.holder, channel.key, channel.epoch, channel.error, tunnel.nowNanos));
      assertThat(channel.holder).isNull();
    }
  }

  private void pauseChannel() {
    KnownTunnel.Channel channel = any();
    channel.isPaused = !channel.isPaused;
    tunnel.apply(core.update(Map.of(channel.key, channel.state()), tunnel.nowNanos));
  }

  private void pauseTunnel() {
    tunnel.isPaused = !tunnel.isPaused && random.nextInt(3) == 0;
    tunnel.apply(core.pause(tunnel.isPaused, tunnel.nowNanos));
  }

  private void resumeAll() {
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    for (KnownTunnel.Channel channel : tunnel.channels.values()) {
      channel.isPaused = false;
      channel.error = null;
      states.put(channel.key, channel.state());
    }
    tunnel.apply(core.update(states, tunnel.nowNanos));
  }

  private void findEnd() {
    KnownTunnel.Channel channel = any();
    boolean isBase = channel.key.type() == ChannelType.BaseData;
    if (channel.end == null && (!isBase || channel.holder != null)) {
      channel.end = channel.delivered + random.nextInt(4);
      tunnel.apply(core.endKnown(channel.key, channel.end, tunnel.nowNanos));
    }
  }

  /** Moves some channels; base channels too, as an import does. */
  private void seek() {
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    List<KnownTunnel.Channel> held = new ArrayList<>();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      KnownTunnel.Channel channel = any();
      if (states.containsKey(channel.key)) {
        continue;
      }
      if (channel.holder != null) {
        held.add(channel);
      }
      if (channel.key.type() == ChannelType.BaseData) {
        channel.checkpointed = random.nextInt(100);
        channel.end = random.nextInt(3) == 0 ? channel.checkpointed : null;
      } else {
        channel.checkpointed = random.nextInt(channel.end == null ? 100 : (int) (channel.end + 1));
      }
      channel.delivered = channel.checkpointed;
      channel.wasGraceful = false;
      channel.isInDoubt = false;
      channel.isFinished &= channel.isAtEnd();
      states.put(channel.key, channel.state());
    }
    Map<KnownTunnel.Channel, Long> epochs = new LinkedHashMap<>();
    held.forEach(channel -> epochs.put(channel, channel.epoch));
    tunnel.apply(core.seek(states, tunnel.nowNanos));
    epochs.forEach(
        (channel, epoch) ->
            assertThat(channel.holder == null || channel.epoch > epoch)
                .as("%s has a new epoch after a seek", channel.key)
                .isTrue());
  }

  /** What a former holder says is refused. */
  private void beFenced() {
    if (tunnel.formerHolds.isEmpty()) {
      return;
    }
    TunnelEffect.Assign former = tunnel.formerHolds.get(random.nextInt(tunnel.formerHolds.size()));
    KnownTunnel.Channel channel = tunnel.channels.get(former.channel());
    if (channel.epoch != former.epoch() || channel.holder == null) {
      String id = former.sessionId();
      requireRefused(
          ErrorCode.FENCED,
          () -> core.mayCheckpoint(id, former.channel(), former.epoch(), 1_000, 1_000));
      requireRefused(
          ErrorCode.FENCED,
          () -> core.release(id, former.channel(), former.epoch(), tunnel.nowNanos));
      requireRefused(
          ErrorCode.FENCED,
          () -> core.stop(id, former.channel(), former.epoch(), "x", tunnel.nowNanos));
    }
  }

  private static void requireRefused(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
