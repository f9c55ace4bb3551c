package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Workers that come, go, fall silent, process, checkpoint, release and refuse at random, over a
 * {@link TunnelCore} that is compared with what they know after every step.
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

  /** A channel as the workers and their processors know it. */
  private static final class Progress {
    private String holder;
    private long epoch;
    private long revokedUntil = -1;
    private long checkpointed;
    private long delivered;

    /** Whether the last holder gave the channel back after it had checkpointed everything. */
    private boolean wasGraceful = true;

    private String refusedBy;
  }

  private final Random random;
  private final TunnelCore core;
  private final Map<Integer, Progress> channels = new LinkedHashMap<>();
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final List<TunnelEffect.Assign> formerHolds = new ArrayList<>();
  private long nowNanos;
  private long lastEpoch = EPOCH_BASE;
  private int lastWorker;

  TunnelSimulation(long seed) {
    random = new Random(seed);
    Map<Integer, Long> checkpoints = new HashMap<>();
    for (int partition = 1; partition <= 1 + random.nextInt(8); partition++) {
      Progress channel = new Progress();
      channel.checkpointed = random.nextInt(100);
      channel.delivered = channel.checkpointed;
      channels.put(partition, channel);
      checkpoints.put(partition, channel.checkpointed);
    }
    core = new TunnelCore(checkpoints, EPOCH_BASE, REVOKE_NANOS);
  }

  void step() {
    switch (random.nextInt(12)) {
      case 0 -> open();
      case 1 -> close();
      case 2 -> tick();
      case 3, 4 -> heartbeat();
      case 5, 6 -> process();
      case 7 -> checkpoint();
      case 8 -> releaseGracefully();
      case 9 -> refuse();
      case 10 -> beFenced();
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

  private void close() {
    String id = anyWorker();
    gone(id);
    apply(core.close(id, nowNanos));
  }

  private void gone(String id) {
    workers.remove(id);
    for (Progress channel : channels.values()) {
      channel.wasGraceful &= !id.equals(channel.holder);
      channel.refusedBy = id.equals(channel.refusedBy) ? null : channel.refusedBy;
    }
  }

  private void tick() {
    nowNanos += random.nextInt(60);
    for (String id : List.copyOf(workers.keySet())) {
      if (workers.get(id).deadlineNanos <= nowNanos) {
        gone(id);
      }
    }
    for (Progress channel : channels.values()) {
      if (channel.holder != null && channel.revokedUntil >= 0 && channel.revokedUntil <= nowNanos) {
        channel.wasGraceful = false;
      }
    }
    apply(core.tick(nowNanos));
    assertThat(core.sessionIds()).containsExactlyElementsOf(workers.keySet());
    for (Progress channel : channels.values()) {
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

  private int anyPartition() {
    return 1 + random.nextInt(channels.size());
  }

  private void process() {
    Progress channel = channels.get(anyPartition());
    if (channel.holder != null && channel.revokedUntil < 0) {
      channel.delivered += random.nextInt(10);
    }
  }

  private void checkpoint() {
    int partition = anyPartition();
    Progress channel = channels.get(partition);
    if (channel.holder != null) {
      long span = channel.delivered - channel.checkpointed;
      checkpoint(partition, channel.checkpointed + (long) (random.nextDouble() * (span + 1)));
    }
  }

  private void checkpoint(int partition, long position) {
    Progress channel = channels.get(partition);
    boolean isNews =
        core.mayCheckpoint(channel.holder, partition, channel.epoch, position, channel.delivered);
    assertThat(isNews).isEqualTo(position > channel.checkpointed);
    if (isNews) {
      core.checkpointed(partition, position);
      channel.checkpointed = position;
    }
  }

  private void checkpointBadly() {
    int partition = anyPartition();
    Progress channel = channels.get(partition);
    if (channel.holder != null) {
      for (long position : new long[] {channel.checkpointed - 1, channel.delivered + 1}) {
        requireRefused(
            ErrorCode.INVALID_CHECKPOINT,
            () ->
                core.mayCheckpoint(
                    channel.holder, partition, channel.epoch, position, channel.delivered));
      }
    }
  }

  /** Processes what was delivered, checkpoints it and gives the channel back, asked or not. */
  private void releaseGracefully() {
    int partition = anyPartition();
    Progress channel = channels.get(partition);
    if (channel.holder != null && channel.revokedUntil >= 0) {
      checkpoint(partition, channel.delivered);
      channel.wasGraceful = true;
      apply(core.release(channel.holder, partition, channel.epoch, nowNanos));
    }
  }

  /** A worker that cannot go on with a channel gives it back; it must not get it again. */
  private void refuse() {
    int partition = anyPartition();
    Progress channel = channels.get(partition);
    if (channel.holder != null && channel.revokedUntil < 0 && random.nextInt(3) == 0) {
      channel.wasGraceful = false;
      channel.refusedBy = channel.holder;
      apply(core.release(channel.holder, partition, channel.epoch, nowNanos));
    }
  }

  /** What a former holder says is refused. */
  private void beFenced() {
    if (formerHolds.isEmpty()) {
      return;
    }
    TunnelEffect.Assign former = formerHolds.get(random.nextInt(formerHolds.size()));
    if (channels.get(former.partition()).epoch != former.epoch()
        || channels.get(former.partition()).holder == null) {
      requireRefused(
          ErrorCode.FENCED,
          () ->
              core.mayCheckpoint(
                  former.sessionId(), former.partition(), former.epoch(), 1_000, 1_000));
      requireRefused(
          ErrorCode.FENCED,
          () -> core.release(former.sessionId(), former.partition(), former.epoch(), nowNanos));
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
        Progress channel = channels.get(revoke.partition());
        assertThat(channel.holder).isEqualTo(revoke.sessionId());
        assertThat(channel.epoch).isEqualTo(revoke.epoch());
        channel.revokedUntil = nowNanos + REVOKE_NANOS;
      } else if (effect instanceof TunnelEffect.Take take) {
        Progress channel = channels.get(take.partition());
        assertThat(channel.holder).isEqualTo(take.sessionId());
        assertThat(channel.epoch).isEqualTo(take.epoch());
        channel.holder = null;
      }
    }
  }

  private void assigned(TunnelEffect.Assign assign) {
    Progress channel = channels.get(assign.partition());
    assertThat(channel.holder).as("holder before %s", assign).isNull();
    assertThat(workers).containsKey(assign.sessionId());
    assertThat(channel.refusedBy).isNotEqualTo(assign.sessionId());
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
      Progress channel = channels.get(view.partition());
      assertThat(view.owner().orElse(null)).isEqualTo(channel.holder);
      assertThat(view.checkpointed()).isEqualTo(channel.checkpointed);
      assertThat(view.status() == ChannelStatus.WAIT).isEqualTo(channel.holder == null);
      isMoving |= view.status() == ChannelStatus.CLOSING;
    }
    boolean isRefused = channels.values().stream().anyMatch(c -> c.refusedBy != null);
    if (!isMoving) {
      requireNobodyWaitsForNothing();
    }
    if (!isMoving && !isRefused) {
      requireEven();
    }
  }

  private void requireNobodyWaitsForNothing() {
    channels.forEach(
        (partition, channel) -> {
          for (String worker : workers.keySet()) {
            boolean couldHold = !worker.equals(channel.refusedBy) && hasRoom(worker);
            assertThat(channel.holder == null && couldHold)
                .as("channel %d waits, %s has room", partition, worker)
                .isFalse();
          }
        });
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
