package io.tunnel.it.sim.cluster.append;

import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.machine.SimWaiting;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The log of blocks as one start of a node reaches it. Blocks of a partition land in their order.
 * When an answer is lost or the log is out of reach, some blocks land late, twice, damaged, or
 * never.
 */
public final class SimBlocksClient implements SnapshotBlocks {

  private static final long LATE_NANOS_MAX = 4_000_000_000L;
  private static final int DOUBLED_ONE_IN = 30;
  private static final int BITS = 1 << 16;

  /** Whatever is sent lands. */
  private static final int SURE = 1;

  private final String node;
  private final SimBlocks log;
  private final Reach reach;
  private final SimThread thread;
  private final SimWaiting waiting;
  private final Runnable damaged;

  /** By partition, when the last block lands. */
  private final Map<Integer, Long> landing = new TreeMap<>();

  /** What a start of a node has: answers come on {@code thread}, and reads wait in others. */
  public record Threads(SimThread thread, SimWaiting waiting) {}

  /**
   * The log as a node reaches it.
   *
   * @param damaged is told when the log damages a block
   */
  public SimBlocksClient(
      String node, SimBlocks log, Reach reach, Threads threads, Runnable damaged) {
    this.node = node;
    this.log = log;
    this.reach = reach;
    this.thread = threads.thread();
    this.waiting = threads.waiting();
    this.damaged = damaged;
  }

  private boolean isReached() {
    return reach.isReached(node);
  }

  @Override
  public void append(int partition, Bytes block, Appended appended) {
    long at =
        Math.max(landing.getOrDefault(partition, 0L) + 1, reach.agenda.nowNanos() + reach.nanos());
    landing.put(partition, at);
    reach.agenda.at(at, () -> arrive(partition, block, appended));
  }

  private void arrive(int partition, Bytes block, Appended appended) {
    if (!thread.process().isAlive()) {
      if (isReached() && reach.random.nextBoolean()) {
        land(partition, block);
      }
      return;
    }
    if (isReached() && !reach.loses()) {
      long offset = land(partition, block);
      answer(reach.nanos(), appended, OptionalLong.of(offset));
      return;
    }
    switch (reach.isSent(node) && !isReached() ? SURE : reach.random.nextInt(3)) {
      case 0 ->
          reach.agenda.after(reach.random.nextLong(LATE_NANOS_MAX), () -> land(partition, block));
      case 1 -> {
        if (reach.isSent(node)) {
          land(partition, block);
        }
      }
      default -> {
        // Never lands.
      }
    }
    answer(Reach.REQUEST_NANOS, appended, OptionalLong.empty());
  }

  private long land(int partition, Bytes block) {
    boolean isFaulty = reach.lossPercent > 0;
    long offset;
    if (isFaulty && reach.random.nextInt(reach.damagedOneIn) == 0) {
      int bit = reach.random.nextBoolean() ? reach.random.nextInt(BITS) : -1;
      offset = log.landDamaged(partition, block, bit);
      damaged.run();
    } else {
      offset = log.land(partition, block);
    }
    if (isFaulty && reach.random.nextInt(DOUBLED_ONE_IN) == 0) {
      log.land(partition, block);
    }
    return offset;
  }

  private void answer(long afterNanos, Appended appended, OptionalLong offset) {
    reach.agenda.after(afterNanos, () -> thread.execute(() -> appended.done(offset)));
  }

  @Override
  public Reading reading(int partition) {
    return offset -> read(partition, offset);
  }

  private Optional<Found> read(int partition, long offset) throws IOException {
    waiting.pass(reach.nanos());
    if (!isReached() || reach.loses()) {
      waiting.pass(Reach.REQUEST_NANOS);
      throw new IOException("no answer in time");
    }
    return log.give(partition, offset);
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    reach.ask(
        this::isReached,
        () -> {
          boolean isLost = reach.loses();
          if (!isLost || reach.random.nextBoolean()) {
            log.deleteBefore(partition, offset);
          }
          reach.agenda.after(
              isLost ? Reach.REQUEST_NANOS : reach.nanos(),
              () -> thread.execute(() -> end(done, isLost)));
        },
        () -> thread.execute(() -> end(done, true)));
    return done;
  }

  private static void end(CompletableFuture<Void> done, boolean isLost) {
    boolean unused =
        isLost
            ? done.completeExceptionally(new IOException("no answer in time"))
            : done.complete(null);
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
