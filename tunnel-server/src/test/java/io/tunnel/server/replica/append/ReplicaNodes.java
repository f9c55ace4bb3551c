package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.partition.ShardSteps;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.ReplicasIdentity;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Nodes that share logs of appends, on the test's thread. */
final class ReplicaNodes implements Closeable {

  static final int SHARDS = 2;
  static final long READ_AGE_MS_MAX = 1_000;
  static final long OUTCOME_MS_MAX = 10_000;

  final TestClock clock = new TestClock();
  final SimAppendLogs logs;

  /** What is wrong with the topics of a partition's table. */
  final Map<Integer, String> problems = new HashMap<>();

  final Set<Integer> dropped = new TreeSet<>();

  /** What nodes that start from now on know of tables. */
  OwnCatalog catalog = partition -> !dropped.contains(partition);

  /** By node, how far the wall clock is ahead, in microseconds. */
  final Map<Integer, Long> aheadMicros = new HashMap<>();

  long retentionMicros = Long.MAX_VALUE;
  long retentionBytes;
  BooleanSupplier isCatalogRecent = () -> true;
  long readBytesMax = 1 << 20;

  /** Blocks of snapshots. */
  final SimStart blocks;

  Snapshots.Limits snapshotLimits = Snapshots.Limits.USUAL;

  /** Why replicas cannot begin; empty while they can. */
  Optional<String> unstarted = Optional.empty();

  /** Of the local logs of nodes that start from now on. */
  Disks disks = Disks.ofSystem();

  /** What deletes no records; empty while all deletions are allowed. */
  Optional<String> undeletable = Optional.empty();

  private final Path directory;
  private final List<Node> nodes = new ArrayList<>();

  ReplicaNodes(Path directory) {
    this.directory = directory;
    this.logs = new SimAppendLogs(new SplittableRandom(1), () -> clock.epochMicros() / 1_000);
    this.blocks = new SimStart(logs, new SplittableRandom(2));
  }

  /** A node that starts. */
  Node start(int id) throws IOException {
    Node node = new Node(id);
    nodes.add(node);
    return node;
  }

  /** All that is sent lands, and all nodes do all that waits. */
  void settle() throws IOException {
    boolean hasWork = true;
    while (hasWork) {
      hasWork = !logs.isIdle();
      logs.land(true);
      for (Node node : nodes) {
        hasWork |= node.step();
      }
    }
  }

  /** Time passes in steps, and nodes do what is due. */
  void pass(long ms) throws IOException {
    pass(ms, 50);
  }

  /** Time passes in steps of {@code stepMs}, and nodes do what is due. */
  void pass(long ms, long stepMs) throws IOException {
    for (long left = ms; left > 0; left -= stepMs) {
      clock.pass(Math.min(stepMs, left));
      nodes.forEach(node -> node.replicas.tick());
      settle();
    }
  }

  /** The clocks of a node. */
  private final class ClockOf implements Shard.Clock {
    private final int id;

    ClockOf(int id) {
      this.id = id;
    }

    @Override
    public long epochMicros() {
      return clock.epochMicros() + aheadMicros.getOrDefault(id, 0L);
    }

    @Override
    public long nanos() {
      return clock.nanos();
    }
  }

  /** A node. */
  final class Node implements Closeable {
    final AppendReplicas replicas;
    final List<SimTail> tails = new ArrayList<>();
    private final List<AppendTail.Listener> listeners = new ArrayList<>();
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> starts = new ArrayDeque<>();
    private final ReplicaStart start =
        new ReplicaStart(new Startable(), blocks, starts::add, new StepWaits(this::stepShards));

    private Node(int id) throws IOException {
      LaneShards lanes = new LaneShards(ports(id), readBytesMax, OUTCOME_MS_MAX, new ClockOf(id));
      replicas = AppendReplicas.prepare(layout(id), lanes, new NoMeter());
      replicas.followAll(lanes.stored());
    }

    private AppendReplicas.Layout layout(int id) {
      return new AppendReplicas.Layout(
          new ReplicasIdentity("log", Bytes.fromHex("01"), SHARDS),
          new Shards.Layout(
              directory.resolve("node-" + id),
              SHARDS,
              4_096,
              new ShardConfig(4_096, 4_096, 8 << 20, 0),
              new TableStoreConfig(1 << 20, 1 << 20, 1),
              disks),
          new ReplicaConfig(
              new ReplicaConfig.Batches(4_096),
              new ReplicaConfig.Times(OUTCOME_MS_MAX, READ_AGE_MS_MAX),
              ReplicaConfig.History.DEFAULT,
              10));
    }

    private AppendReplicas.Ports ports(int id) {
      return new AppendReplicas.Ports(
          new SharedAppends(id),
          new AppendReplicas.Self("node-" + id, "1", logs::marker),
          partition -> Optional.of("elsewhere:1"),
          new AppendReplicas.Known(
              catalog,
              partition -> !dropped.contains(partition),
              partition -> retentionMicros,
              partition -> retentionBytes,
              () -> isCatalogRecent.getAsBoolean()),
          partition ->
              CompletableFuture.completedFuture(Optional.ofNullable(problems.get(partition))),
          new Snapshots.Ports(
              start,
              new Deletions(),
              blocks,
              new Snapshots.Threads(posted::add, Runnable::run),
              new Others(),
              snapshotLimits));
    }

    private boolean stepShards() {
      boolean hadWork = false;
      for (Shard each : replicas.shards()) {
        while (ShardSteps.step(each)) {
          hadWork = true;
        }
      }
      return hadWork;
    }

    /** All records at once, unless no replica can begin. */
    private final class Startable extends ForwardingLog {
      Startable() {
        super(blocks);
      }

      @Override
      public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
        Map<Integer, CompletableFuture<Long>> starts = new HashMap<>(super.starts(partitions));
        unstarted.ifPresent(
            why ->
                starts.replaceAll(
                    (partition, any) -> CompletableFuture.failedFuture(new IOException(why))));
        return starts;
      }
    }

    /** All records at once, and deletions. */
    private final class Deletions extends ForwardingLog {
      Deletions() {
        super(blocks);
      }

      @Override
      public CompletableFuture<Void> deleteBefore(int partition, long offset) {
        if (undeletable.isPresent()) {
          return CompletableFuture.failedFuture(new IOException(undeletable.get()));
        }
        logs.trim(partition, (int) offset);
        return CompletableFuture.completedFuture(null);
      }
    }

    /** The other nodes that are there. */
    private final class Others implements OtherReplicas {
      @Override
      public boolean has(int partition) {
        return others(partition).findAny().isPresent();
      }

      private Stream<Node> others(int partition) {
        return nodes.stream()
            .filter(node -> node != Node.this && node.replicas.replicas().contains(partition));
      }

      @Override
      public CompletableFuture<OptionalLong> verified(int partition) {
        return CompletableFuture.completedFuture(
            others(partition)
                .flatMap(node -> node.replicas.looks().verified(partition).join().stream())
                .mapToLong(id -> id)
                .max());
      }
    }

    /** The logs, as the node sees them. */
    private final class SharedAppends implements ReadableAppendLog {
      private final AppendLog log;

      SharedAppends(int id) {
        log = logs.of(id);
      }

      @Override
      public void append(int partition, byte[] header, byte[] value, Appended appended) {
        log.append(partition, header, value, appended);
      }

      @Override
      public boolean isFull() {
        return log.isFull();
      }

      @Override
      public AppendTail tail(AppendTail.Listener listener) {
        SimTail tail = new SimTail(logs);
        tails.add(tail);
        listeners.add(listener);
        return tail;
      }

      @Override
      public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
        Map<Integer, CompletableFuture<Long>> starts = new HashMap<>();
        partitions.forEach(
            partition ->
                starts.put(
                    partition,
                    CompletableFuture.completedFuture((long) logs.log(partition).first)));
        return starts;
      }

      @Override
      public CompletableFuture<Void> deleteBefore(int partition, long offset) {
        throw new UnsupportedOperationException("nobody trims");
      }

      @Override
      public void close() {}
    }

    /** Reads some, and does all that waits; false when there was nothing. */
    boolean step() throws IOException {
      boolean hadWork = false;
      for (int i = 0; i < tails.size(); i++) {
        SimTail tail = tails.get(i);
        for (int partition : tail.followed()) {
          if (i >= SHARDS || partition % SHARDS == i) {
            tail.read(partition, 3);
          }
        }
        for (Optional<AppendTail.Event> event = tail.next();
            event.isPresent();
            event = tail.next()) {
          listeners.get(i).happened(event.get());
          hadWork = true;
        }
      }
      for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
        task.run();
        hadWork = true;
      }
      for (Runnable start = starts.poll(); start != null; start = starts.poll()) {
        start.run();
        hadWork = true;
      }
      return stepShards() || hadWork;
    }

    /** Stops; the directory stays. */
    @Override
    public void close() throws IOException {
      nodes.remove(this);
      stopSnapshots();
      replicas.close();
    }

    /** As the beginning of a stop. */
    void stopSnapshots() {
      CompletableFuture<Void> stopped = replicas.stopSnapshots();
      posted.forEach(Runnable::run);
      stopped.join();
    }
  }

  @Override
  public void close() throws IOException {
    for (Node node : List.copyOf(nodes)) {
      node.close();
    }
  }
}
