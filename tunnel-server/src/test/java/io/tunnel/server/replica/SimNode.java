package io.tunnel.server.replica;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node with one shard that a test drives step by step, and that can be killed between any two.
 */
final class SimNode {

  static final int SEGMENT_BYTES = 4_096;
  static final ReplicaConfig CONFIG =
      new ReplicaConfig(
          new ReplicaConfig.Batches(4_096, 7, 4_096, 16L << 20, 4_096),
          new ReplicaConfig.Times(10_000, 50, 1_000, 0),
          10);

  final String name;
  private final FakeSharedLog shared;
  private final AtomicLong nanos;
  private final Kept kept;
  private int starts;
  private CrashDisk disk = new CrashDisk();
  FakeCopyRows rows;
  FakeSharedLog.Node log;
  LocalLog localLog;
  ReplicaShard shard;
  Replicas replicas;

  /** How long the log keeps every change, and deletions. */
  record Kept(long retentionMicros, long deletionMicros) {
    static final Kept ALL = new Kept(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  SimNode(String name, FakeSharedLog shared, AtomicLong nanos, Kept kept, Random random)
      throws IOException {
    this.name = name;
    this.shared = shared;
    this.nanos = nanos;
    this.kept = kept;
    this.rows = new FakeCopyRows(random);
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
    CopyStore.requireWhole(localLog, rows.states());
    Shard.Clock clock = new SimClock();
    CopyStore store = new CopyStore(0, localLog, rows, new Silent(), clock);
    Replicas.Ports ports =
        new Replicas.Ports(
            log,
            new Markers(name, "start " + ++starts),
            partition -> Optional.of("elsewhere:1"),
            partition -> kept.retentionMicros(),
            partition -> kept.deletionMicros(),
            partition -> true);
    shard = new ReplicaShard(0, CONFIG, store, ports, new Silent(), clock);
    replicas = new Replicas(List.of(shard), CONFIG);
    replicas.followStored(partition -> true);
  }

  boolean step() {
    return shard.step();
  }

  /** The changes that it would deliver. */
  List<ChangeBatch> changes(int partition) throws IOException {
    return TestLogs.batches(replicas, partition, replicas.firstPosition(partition));
  }

  private final class SimClock implements Shard.Clock {
    @Override
    public long epochMicros() {
      return shared.nowMicros;
    }

    @Override
    public long nanos() {
      return nanos.get();
    }
  }

  static final class Silent implements Shard.Meter {
    @Override
    public void committed(int shard, long rows, long bytes, long commitNanos, long foldNanos) {}

    @Override
    public void rejected(int shard, long rows) {}

    @Override
    public void trimmed(int shard, long changes, long segments, long bytes) {}
  }
}
