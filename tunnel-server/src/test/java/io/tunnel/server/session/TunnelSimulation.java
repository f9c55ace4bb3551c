package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.catalog.StopReason;
import io.tunnel.server.session.TunnelEffect.OverReason;
import io.tunnel.server.session.TunnelEffect.TakeReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private static final long EPOCH_BASE = 1L << 32;
  private static final long REVOKE_NANOS = 50;

  /** What a worker's session may do. */
  private static final class Worker {
    private final long leaseNanos;
    private final int channelsMax;
    private long deadlineNanos;

    Worker(long leaseNanos, int channelsMax) {
      this.leaseNanos = leaseNanos;
      this.channelsMax = channelsMax;
    }
  }

  /** A channel as workers, operators and the catalog know it. */
  private static final class Known {
    private final ChannelKey key;
    private final List<Known> waitsFor = new ArrayList<>();
    private String holder;
    private long epoch;
    private long revokedUntil = -1;
    private long checkpointed;
    private long delivered;
    private Long end;
    private boolean isFinished;
    private boolean isPaused;
    private String error;
    private boolean isInDoubt;

    /** Whether the last holder gave the channel back after it had checkpointed everything. */
    private boolean wasGraceful = true;

    Known(ChannelKey key) {
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

  private final Random random;
  private final TunnelCore core;
  private final Map<ChannelKey, Known> channels = new TreeMap<>();
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final List<TunnelEffect.Assign> formerHolds = new ArrayList<>();
  private final List<String> over = new ArrayList<>();
  private boolean isPaused;
  private long nowNanos;
  private long lastEpoch = EPOCH_BASE;
  private int lastWorker;

  TunnelSimulation(long seed) {
    random = new Random(seed);
    boolean hasBase = random.nextBoolean();
    int partitions = 1 + random.nextInt(8);
    for (int partition = 1; partition <= partitions; partition++) {
      Known stream = add(ChannelKey.stream(partition));
      if (hasBase) {
        stream.waitsFor.add(add(ChannelKey.base(partition)));
      }
      for (int parents = random.nextInt(3); parents > 0 && partition > 1; parents--) {
        Known parent = channels.get(ChannelKey.stream(1 + random.nextInt(partition - 1)));
        if (!stream.waitsFor.contains(parent)) {
          stream.waitsFor.add(parent);
        }
      }
    }
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    Map<ChannelKey, List<ChannelKey>> waitsFor = new TreeMap<>();
    channels.forEach(
        (key, channel) -> {
          states.put(key, channel.state());
          waitsFor.put(key, channel.waitsFor.stream().map(other -> other.key).toList());
        });
    core = new TunnelCore(states, waitsFor, false, EPOCH_BASE, REVOKE_NANOS);
    apply(core.start());
    requireInvariants();
  }

  private Known add(ChannelKey key) {
    Known channel = new Known(key);
    channel.checkpointed = random.nextInt(100);
    channel.delivered = channel.checkpointed;
    if (key.type() == ChannelType.Stream && random.nextInt(3) == 0) {
      channel.end = channel.checkpointed + random.nextInt(20);
    }
    channels.put(key, channel);
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
    requireInvariants();
  }

  private void open() {
    if (workers.size() < 4) {
      String id = "w" + ++lastWorker;
      int max = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
      Worker worker = new Worker(20 + random.nextInt(200), max);
      worker.deadlineNanos = nowNanos + worker.leaseNanos;
      workers.put(id, worker);
      apply(core.open(id, "tag", worker.leaseNanos, max, nowNanos));
    }
  }

  private String anyWorker() {
    List<String> ids = new ArrayList<>(workers.keySet());
    return ids.isEmpty() ? "nobody" : ids.get(random.nextInt(ids.size()));
  }

  private void close(OverReason reason) {
    String id = anyWorker();
    boolean wasOpen = workers.remove(id) != null;
    List<TunnelEffect> effects = core.end(List.of(id), reason, nowNanos);
    over.clear();
    apply(effects);
    assertThat(over).isEqualTo(wasOpen ? List.of(id) : List.of());
    if (wasOpen) {
      assertThat(effects)
          .filteredOn(effect -> effect instanceof TunnelEffect.Take)
          .allMatch(effect -> ((TunnelEffect.Take) effect).reason() == reason.taken());
    }
  }

  private void tick() {
    nowNanos += random.nextInt(60);
    List<String> expired =
        workers.keySet().stream().filter(id -> workers.get(id).deadlineNanos <= nowNanos).toList();
    workers.keySet().removeAll(expired);
    over.clear();
    boolean isCertain = random.nextBoolean();
    if (isCertain) {
      channels.values().forEach(channel -> channel.isInDoubt = false);
    }
    apply(core.tick(nowNanos, isCertain));
    assertThat(over).isEqualTo(expired);
    for (Known channel : channels.values()) {
      boolean isOverdue =
          channel.holder != null && channel.revokedUntil >= 0 && channel.revokedUntil <= nowNanos;
      assertThat(isOverdue).as("a deadline that has passed").isFalse();
    }
  }

  private void heartbeat() {
    String id = anyWorker();
    if (workers.containsKey(id)) {
      core.heartbeat(id, nowNanos);
      workers.get(id).deadlineNanos = nowNanos + workers.get(id).leaseNanos;
    } else {
      requireRefused(ErrorCode.SESSION_ENDED, () -> core.heartbeat(id, nowNanos));
    }
  }

  private Known any() {
    return List.copyOf(channels.values()).get(random.nextInt(channels.size()));
  }

  private void process() {
    Known channel = any();
    if (channel.holder != null && channel.revokedUntil < 0) {
      long last = channel.end == null ? Long.MAX_VALUE : channel.end;
      channel.delivered = Math.min(last, channel.delivered + random.nextInt(10));
    }
  }

  private void checkpoint() {
    Known channel = any();
    if (channel.holder != null) {
      long span = channel.delivered - channel.checkpointed;
      checkpoint(channel, channel.checkpointed + (long) (random.nextDouble() * (span + 1)));
      if (random.nextInt(4) == 0) {
        channel.isInDoubt = true;
        core.doubt(channel.key);
      }
    }
  }

  private void checkpoint(Known channel, long position) {
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
    Known channel = any();
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
    Known channel = any();
    boolean isDone = channel.end != null && channel.delivered == channel.end;
    if (channel.holder != null && (channel.revokedUntil >= 0 || isDone)) {
      checkpoint(channel, channel.delivered);
      channel.wasGraceful = true;
      apply(core.release(channel.holder, channel.key, channel.epoch, nowNanos));
    }
  }

  private void releaseUnasked() {
    Known channel = any();
    if (channel.holder != null && channel.revokedUntil < 0 && random.nextInt(3) == 0) {
      apply(core.release(channel.holder, channel.key, channel.epoch, nowNanos));
    }
  }

  /** The worker cannot go on with a channel: nobody may get it. */
  private void stop() {
    Known channel = any();
    if (channel.holder != null) {
      channel.error = "broken " + nowNanos;
      apply(core.stop(channel.holder, channel.key, channel.epoch, channel.error, nowNanos));
      assertThat(channel.holder).isNull();
    }
  }

  private void pauseChannel() {
    Known channel = any();
    channel.isPaused = !channel.isPaused;
    apply(core.update(Map.of(channel.key, channel.state()), nowNanos));
  }

  private void pauseTunnel() {
    isPaused = !isPaused && random.nextInt(3) == 0;
    apply(core.pause(isPaused, nowNanos));
  }

  private void resumeAll() {
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    for (Known channel : channels.values()) {
      channel.isPaused = false;
      channel.error = null;
      states.put(channel.key, channel.state());
    }
    apply(core.update(states, nowNanos));
  }

  private void findEnd() {
    Known channel = any();
    boolean isBase = channel.key.type() == ChannelType.BaseData;
    if (channel.end == null && (!isBase || channel.holder != null)) {
      channel.end = channel.delivered + random.nextInt(4);
      apply(core.endKnown(channel.key, channel.end, nowNanos));
    }
  }

  /** Moves some channels; base channels too, as an import does. */
  private void seek() {
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    List<Known> held = new ArrayList<>();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      Known channel = any();
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
    Map<Known, Long> epochs = new LinkedHashMap<>();
    held.forEach(channel -> epochs.put(channel, channel.epoch));
    apply(core.seek(states, nowNanos));
    epochs.forEach(
        (channel, epoch) ->
            assertThat(channel.holder == null || channel.epoch > epoch)
                .as("%s has a new epoch after a seek", channel.key)
                .isTrue());
  }

  /** What a former holder says is refused. */
  private void beFenced() {
    if (formerHolds.isEmpty()) {
      return;
    }
    TunnelEffect.Assign former = formerHolds.get(random.nextInt(formerHolds.size()));
    Known channel = channels.get(former.channel());
    if (channel.epoch != former.epoch() || channel.holder == null) {
      String id = former.sessionId();
      requireRefused(
          ErrorCode.FENCED,
          () -> core.mayCheckpoint(id, former.channel(), former.epoch(), 1_000, 1_000));
      requireRefused(
          ErrorCode.FENCED, () -> core.release(id, former.channel(), former.epoch(), nowNanos));
      requireRefused(
          ErrorCode.FENCED, () -> core.stop(id, former.channel(), former.epoch(), "x", nowNanos));
    }
  }

  private static void requireRefused(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void apply(List<TunnelEffect> effects) {
    for (TunnelEffect effect : effects) {
      if (effect instanceof TunnelEffect.Assign assign) {
        assigned(assign);
      } else if (effect instanceof TunnelEffect.Revoke revoke) {
        Known channel = channels.get(revoke.channel());
        assertThat(channel.holder).isEqualTo(revoke.sessionId());
        assertThat(channel.epoch).isEqualTo(revoke.epoch());
        assertThat(channel.revokedUntil).as("asked for once").isNegative();
        channel.revokedUntil = nowNanos + REVOKE_NANOS;
      } else if (effect instanceof TunnelEffect.Take take) {
        taken(take);
      } else if (effect instanceof TunnelEffect.Finish finish) {
        Known channel = channels.get(finish.channel());
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
    Known channel = channels.get(take.channel());
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
    Known channel = channels.get(assign.channel());
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

  private boolean isWanted(Known channel) {
    return !isPaused && !channel.isPaused && channel.error == null && channel.isReady();
  }

  private long held(String worker) {
    return channels.values().stream().filter(c -> worker.equals(c.holder)).count();
  }

  private boolean hasRoom(String worker) {
    int max = workers.get(worker).channelsMax;
    return max == 0 || held(worker) < max;
  }

  private void requireInvariants() {
    boolean isMoving = false;
    for (TunnelCore.View view : core.view()) {
      Known channel = channels.get(view.key());
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

  private static ChannelStatus status(Known channel) {
    if (channel.isFinished) {
      return ChannelStatus.TERMINATED;
    }
    if (channel.holder == null) {
      return ChannelStatus.WAIT;
    }
    return channel.revokedUntil < 0 ? ChannelStatus.OPEN : ChannelStatus.CLOSING;
  }

  private void requireNobodyWaitsForNothing() {
    for (Known channel : channels.values()) {
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
