package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.Markers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node with one shard that a test drives step by step, and that can be killed between any two.
 */
final class SimNode {

  /** Long enough to end a slice. */
  private static final long PAUSE_NANOS = 10_000_000;

  static final int SEGMENT_BYTES = 4_096;

  /** What is to stay free of a disk that has a limit. */
  static final long FREE_BYTES_MIN = 1 << 20;

  static final ReplicaConfig CONFIG = config(0);

  /** How old rows may be that are read. */
  static final int READ_AGE_MS = 2_000;

  /** Pages of a few records, of which hardly any are held. */
  private static ReplicaConfig config(long localBytesMax) {
    return new ReplicaConfig(
        new ReplicaConfig.Batches(4_096, 7, 4_096, 16L << 20, 4_096, 40L << 20),
        new ReplicaConfig.Times(10_000, 50, 1_000, 0, READ_AGE_MS),
        new ReplicaConfig.History(localBytesMax, 6_000, 100_000, 1),
        10);
  }

  final String name;
  private final FakeSharedLog shared;
  private final AtomicLong nanos;
  private final Kept kept;
  private final Random random;
  private int starts;

  /** How often {@link #PAUSE_NANOS} pass when the node looks at its clock, in percent. */
  int pausePercent;

  /** Whether the last {@link #delivered} stopped in front of something that is lost. */
  boolean isLost;

  /** The origin that tables have noted of their logs; empty for none. */
  Bytes origin = Bytes.EMPTY;

  CrashDisk disk = new CrashDisk();
  FakeReplicaRows rows;
  FakeSharedLog.Node log;
  LocalLog localLog;
  ReplicaShard shard;
  Replicas replicas;

  /** How long the log keeps every change, and deletions; and how much of it a node keeps. */
  record Kept(long retentionMicros, long deletionMicros, long localBytesMax) {
    static final Kept ALL = new Kept(Long.MAX_VALUE, Long.MAX_VALUE);

    Kept(long retentionMicros, long deletionMicros) {
      this(retentionMicros, deletionMicros, 0);
    }
  }

  SimNode(String name, FakeSharedLog shared, AtomicLong nanos, Kept kept, Random random)
      throws IOException {
    this.name = name;
    this.shared = shared;
    this.nanos = nanos;
    this.kept = kept;
    this.random = random;
    this.rows = new FakeReplicaRows(random);
    start();
  }

  void restart() throws IOException {
    log.kill();
    disk = disk.kill();
    rows = rows.kill();
    start();
  }

  private void start() throws IOException {
    log = shared.node();
    localLog = TestLogs.open(disk, 0, SEGMENT_BYTES);
    ReplicaStore.requireWhole(localLog, rows.states());
    Shard.Clock clock = new SimClock();
    ReplicaStore store = store(rows);
    Replicas.Ports ports =
        new Replicas.Ports(
            log,
            new Markers(name, "start " + ++starts),
            partition -> Optional.of("elsewhere:1"),
            partition -> kept.retentionMicros(),
            partition -> kept.deletionMicros(),
            new NotedOrigins());
    ReplicaConfig config = config(kept.localBytesMax());
    shard = new ReplicaShard(0, config, store, ports, new Silent(), clock);
    replicas = new Replicas(List.of(shard), config, log);
    replicas.followStored(partition -> true);
  }

  /** A store of its log and of these rows. */
  ReplicaStore store(FakeReplicaRows ofRows) {
    return new ReplicaStore(0, localLog, ofRows, FREE_BYTES_MIN, new Silent(), new SimClock());
  }

  /** All partitions are there, in the log of {@link #origin}. */
  private final class NotedOrigins implements KnownPartitions {
    @Override
    public boolean exists(int partition) {
      return true;
    }

    @Override
    public Bytes origin(int partition) {
      return origin;
    }
  }

  boolean step() {
    return shard.step();
  }

  /** The changes that it would deliver. */
  List<ChangeBatch> changes(int partition) throws IOException {
    return TestLogs.batches(replicas, partition, replicas.firstPosition(partition));
  }

  /**
   * The changes that a channel gets from {@code position} on, which are read from the shared log
   * where they have to be; those in front of what is lost, if anything is.
   */
  List<ChangeBatch> delivered(int partition, long position) throws IOException {
    List<ChangeBatch> delivered = new ArrayList<>();
    AtomicInteger woken = new AtomicInteger();
    ChangeReader.CommitListener listener = (id, committed) -> woken.incrementAndGet();
    replicas.subscribe(partition, listener);
    long next = position;
    while (next <= replicas.committed(partition)) {
      woken.set(0);
      Extents planned;
      try {
        planned = replicas.plan(partition, next, 500);
      } catch (RefusedException e) {
        assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.HISTORY_LOST);
        isLost = true;
        break;
      }
      if (planned.isEmpty()) {
        for (int steps = 0; steps < 1_000 && woken.get() == 0; steps++) {
          log.stepTail(50);
        }
        assertThat(woken.get()).as("woken for what position %d waits for", next).isPositive();
      } else {
        delivered.addAll(TestLogs.batches(planned));
        next = planned.lastPosition() + 1;
      }
    }
    replicas.unsubscribe(partition, listener);
    return delivered;
  }

  private final class SimClock implements Shard.Clock {
    @Override
    public long epochMicros() {
      return shared.nowMicros;
    }

    @Override
    public long nanos() {
      boolean isPaused = pausePercent > 0 && random.nextInt(100) < pausePercent;
      return isPaused ? nanos.addAndGet(PAUSE_NANOS) : nanos.get();
    }
  }

  static final class Silent implements Shard.Meter {
    @Override
    public void committed(int shard, long rows, long bytes, long commitNanos) {}

    @Override
    public void folded(int shard, long foldNanos) {}

    @Override
    public void rejected(int shard, long rows) {}

    @Override
    public void trimmed(int shard, long changes, long segments, long bytes) {}
  }
}
