package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.replica.append.AppendHeader;
import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A cluster with one table whose log has appends; the first partition has the id 100. */
public final class TestAppends implements Closeable {

  public static final int FIRST = 100;
  static final int TABLE = 7;

  final KafkaConfig config;
  final KafkaCluster cluster;
  final AppendTopics.Table table;
  final Map<Integer, Place> places = new ConcurrentHashMap<>();
  final ReadableAppendLog log;

  public TestAppends(int partitions) throws Exception {
    this(TestKafka.config(), partitions);
  }

  TestAppends(KafkaConfig config, int partitions) throws Exception {
    this.config = config;
    cluster = new KafkaCluster(config, TestKafka.CLOCK);
    Bytes origin = get(cluster.appendTopics().open(new AppendTopics.Table(TABLE, partitions)));
    table = new AppendTopics.Table(TABLE, partitions, Optional.of(origin));
    for (int i = 0; i < partitions; i++) {
      places.put(FIRST + i, new Place(TABLE, i));
    }
    log = cluster.openAppends(partition -> Optional.ofNullable(places.get(partition)));
    awaitLeaders();
  }

  /** Returns when each partition has a leader that answers. */
  void awaitLeaders() throws Exception {
    long begun = System.nanoTime();
    while (true) {
      try {
        for (CompletableFuture<Long> start : log.starts(places.keySet()).values()) {
          get(start);
        }
        return;
      } catch (ExecutionException e) {
        if (System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(3)) {
          throw e;
        }
      }
    }
  }

  String topic() {
    return AppendTopics.log(config.cluster(), TABLE);
  }

  /** The log, as another node of the cluster has it. */
  public ReadableAppendLog node() {
    return cluster.openAppends(partition -> Optional.ofNullable(places.get(partition)));
  }

  /** The log of blocks, as another node of the cluster has it. */
  public SnapshotBlocks blocks() {
    return cluster.openBlocks(partition -> Optional.ofNullable(places.get(partition)));
  }

  /** The header of a record without a meaning, told apart by its number. */
  static AppendHeader header(long number) {
    return new AppendHeader(AppendHeader.Kind.BATCHES, 0, 1, number, 1, 0, -1, Bytes.EMPTY);
  }

  /** Completed with the offset, if there is one. */
  CompletableFuture<OptionalLong> append(int partition, long number, int bytes) {
    return append(log, partition, number, bytes);
  }

  static CompletableFuture<OptionalLong> append(
      ReadableAppendLog log, int partition, long number, int bytes) {
    CompletableFuture<OptionalLong> appended = new CompletableFuture<>();
    log.append(
        partition,
        header(number).encode(),
        new byte[bytes],
        placed ->
            appended.complete(
                placed.isPresent()
                    ? OptionalLong.of(placed.get().offset())
                    : OptionalLong.empty()));
    return appended;
  }

  static AppendTail.End end(AppendTail tail, int partition) throws Exception {
    return get(tail.ends(List.of(partition)).get(partition));
  }

  public static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    log.close();
    cluster.close();
  }
}
