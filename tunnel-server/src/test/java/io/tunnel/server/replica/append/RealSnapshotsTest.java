package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.kafka.TestAppends;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.ReplicasIdentity;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes over a real Kafka trim both topics, and a node without a disk begins behind the trim. */
class RealSnapshotsTest {

  private static final int P = TestAppends.FIRST;
  private static final long SECONDS_MAX = 180;

  @TempDir private Path directory;
  private final AtomicLong passedNanos = new AtomicLong();
  private final SplittableRandom random = new SplittableRandom(1);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  /** The wall clock; of the time that intervals are measured by, {@code skipped} passes at once. */
  private record Clock(AtomicLong skipped) implements Shard.Clock {
    @Override
    public long epochMicros() {
      return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public long nanos() {
      return System.nanoTime() + skipped.get();
    }
  }

  private final class Node implements Closeable {
    final ReadableAppendLog log;
    final SnapshotBlocks blocks;
    final ExecutorService owner = Executors.newSingleThreadExecutor();
    final ExecutorService waiting = Executors.newCachedThreadPool();
    final AppendReplicas replicas;

    Node(int id, TestAppends table) throws IOException {
      log = table.node();
      blocks = table.blocks();
      ReplicaStart start = new ReplicaStart(log, blocks, waiting, Waits.ofThread(30_000));
      Snapshots.Ports snapshots =
          new Snapshots.Ports(
              start,
              log,
              blocks,
              new Snapshots.Threads(owner, waiting),
              OtherReplicas.NONE,
              new Snapshots.Limits(
                  new DueCore.Limits(40_000, 1, 1 << 30, 1 << 30, 1 << 30),
                  SnapshotWriter.Limits.ofNode(Long.MAX_VALUE)));
      AppendReplicas.Ports ports =
          new AppendReplicas.Ports(
              log,
              new AppendReplicas.Self("node-" + id, "1", random::nextLong),
              partition -> Optional.empty(),
              new AppendReplicas.Known(
                  partition -> true,
                  partition -> true,
                  any -> Long.MAX_VALUE,
                  any -> 1_000,
                  () -> true),
              partition -> CompletableFuture.completedFuture(Optional.empty()),
              snapshots);
      LaneShards lanes = new LaneShards(ports, 1 << 20, 3_600_000, new Clock(new AtomicLong()));
      AppendReplicas.Layout layout = layout(id);
      layout.identity().claim(layout.shards().directory());
      Shards shards =
          Shards.openCache(
              layout.shards(), ports.known().catalog(), lanes, new NoMeter(), lanes.clock());
      replicas =
          new AppendReplicas(
              shards, lanes.keepers(shards), lanes, layout.replica(), new Clock(passedNanos));
      replicas.shards().forEach(Shard::start);
    }

    private AppendReplicas.Layout layout(int id) {
      return new AppendReplicas.Layout(
          new ReplicasIdentity("log", Bytes.fromHex("01"), 1),
          new Shards.Layout(
              directory.resolve("node-" + id),
              1,
              1 << 20,
              new ShardConfig(65_536, 65_536, 8 << 20, 0),
              new TableStoreConfig(1 << 20, 1 << 20, 1),
              Disks.ofSystem()),
          new ReplicaConfig(
              new ReplicaConfig.Batches(65_536),
              new ReplicaConfig.Times(10_000, 0),
              ReplicaConfig.History.DEFAULT,
              10));
    }

    void write(int key) throws Exception {
      Outcomes outcome = new Outcomes();
      replicas.of(P).write(Outcomes.write(batch(P, put("k" + key)), false, outcome));
      assertThat(outcome.result().appliedRows()).isEqualTo(1);
    }

    /** Does what is due until the condition holds. */
    void until(BooleanSupplier condition) throws Exception {
      CompletableFuture<Void> holds = new CompletableFuture<>();
      var ticks =
          timer.scheduleWithFixedDelay(
              () -> {
                try {
                  replicas.tick();
                  replicas.lookAtEnds();
                  if (condition.getAsBoolean()) {
                    var unused = holds.complete(null);
                  }
                } catch (RuntimeException | Error e) {
                  // A timer drops a task that throws, and says nothing.
                  var unused = holds.completeExceptionally(e);
                }
              },
              0,
              20,
              TimeUnit.MILLISECONDS);
      try {
        var unused = holds.get(SECONDS_MAX, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        throw new AssertionError("not in time; " + replicas.status() + replicas.snapshots(), e);
      } finally {
        ticks.cancel(false);
      }
    }

    long start() throws Exception {
      return log.starts(List.of(P)).get(P).get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
      replicas.close();
      blocks.close();
      log.close();
      owner.shutdownNow();
      waiting.shutdownNow();
    }
  }

  private void snapshot(Node node, long count) throws Exception {
    for (int key = 0; key < 1_000; key++) {
      node.write(key);
    }
    node.until(
        () -> {
          passedNanos.addAndGet(Snapshots.SEE_NANOS);
          return node.replicas.snapshots().verified() >= count;
        });
  }

  @Tag("proof-kafka")
  @Test
  void both_topics_are_trimmed_and_a_node_without_a_disk_begins_with_a_snapshot() throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      try (Node first = new Node(1, table)) {
        first.replicas.lead(P);
        first.until(() -> first.replicas.isServing(P));
        first.write(-1);
        snapshot(first, 1);
        snapshot(first, 2);
        assertThat(first.start()).isZero();
        passedNanos.addAndGet(TimeUnit.MINUTES.toNanos(12));
        first.until(() -> first.replicas.snapshots().trims() == 1);
        first.until(() -> startOf(first) > 0);
        AppendValue.Trim trim = first.replicas.view(P).orElseThrow().log().trimmed();
        assertThat(first.start()).isEqualTo(trim.offset());
        assertThat(first.replicas.snapshots().refusedDeletions()).isZero();
        first.write(-2);
      }
      try (Node second = new Node(2, table)) {
        second.replicas.lead(P);
        second.until(() -> second.replicas.isServing(P));
        assertThat(second.replicas.view(P).orElseThrow().begun()).isGreaterThan(1);
        for (int key : new int[] {-1, -2, 0}) {
          assertThat(second.replicas.of(P).table().get(P, keyBytes("k" + key)))
              .as("row " + key)
              .isPresent();
        }
        second.write(-3);
      }
    } finally {
      timer.shutdownNow();
    }
  }

  private static long startOf(Node node) {
    try {
      return node.start();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
