package io.tunnel.server.partition.read;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A table whose partitions are on two shards, and what is kept of its rows for a tunnel. */
final class BaseFixture implements Closeable {

  static final String TUNNEL = "tunnel";
  static final long AGE_MS_MAX = 60_000;
  static final int ALL_BYTES = 1 << 20;

  final Readers readers = new Readers();
  final JumpingClock clock = new JumpingClock();
  final Shards shards;
  final Catalog catalog;
  final TableRecord table;
  final List<Integer> partitions;
  final BaseSnapshots bases;

  /** Readers that are the test's own thread, and may be full. */
  static final class Readers implements Executor {
    boolean isFull;
    boolean isPaused;
    final Queue<Runnable> waiting = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
      if (isFull) {
        throw new RejectedExecutionException("full");
      } else if (isPaused) {
        waiting.add(task);
      } else {
        task.run();
      }
    }
  }

  static final class JumpingClock implements Shard.Clock {
    final AtomicLong nanos = new AtomicLong();
    boolean isBroken;

    @Override
    public long epochMicros() {
      if (isBroken) {
        throw new InternalError("injected");
      }
      return 5_000_000 + nanos.get() / 1_000;
    }

    @Override
    public long nanos() {
      return nanos.get();
    }
  }

  static final class Answer extends CompletableFuture<Map<Integer, Long>>
      implements TunnelRows.Taken {
    @Override
    public void taken(Map<Integer, Long> committed) {
      assertThat(complete(committed)).as("told once").isTrue();
    }

    @Override
    public void failed(RefusedException reason) {
      assertThat(completeExceptionally(reason)).as("told once").isTrue();
    }

    Map<Integer, Long> await() throws Exception {
      return get(60, TimeUnit.SECONDS);
    }
  }

  BaseFixture(Path directory) throws IOException {
    Shards.Layout layout = TestShards.layout(directory, 2, 1 << 20);
    shards = Shards.open(layout, id -> true, new NoMeter(), new TestClock());
    catalog = new Catalog(new MemoryCatalogStore());
    List<PrimaryKeyValue> points =
        List.of(PrimaryKeyValue.fromString("k3"), PrimaryKeyValue.fromString("k6"));
    table = catalog.createTable(new TableMeta("t", TestRows.SCHEMA), points, 0);
    partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    bases = new BaseSnapshots(catalog, shards, readers, clock, AGE_MS_MAX);
  }

  Outcomes post(ChangeBatch batch) {
    Outcomes outcome = new Outcomes();
    shards.of(batch.partition()).write(Outcomes.write(batch, false, outcome));
    return outcome;
  }

  void write(String key) throws Exception {
    int partition = table.partitionOf(keyBytes(key)).id();
    post(batch(partition, put(key))).result();
    CountDownLatch isFolded = new CountDownLatch(1);
    shards.of(partition).execute(partition, isFolded::countDown);
    assertThat(isFolded.await(60, TimeUnit.SECONDS)).isTrue();
  }

  Map<Integer, Long> begin() throws Exception {
    Answer answer = new Answer();
    bases.begin(TUNNEL, partitions, answer);
    return answer.await();
  }

  FoundRows read(int partition, Bytes after, int bytesMax) {
    FoundRows found = new FoundRows();
    bases.read(TUNNEL, partition, after, 1, bytesMax, found);
    return found;
  }

  /** Keys of the partition's rows, read in pages. */
  List<Bytes> keys(int partition, int bytesMax) throws Exception {
    List<Bytes> keys = new ArrayList<>();
    Bytes after = Bytes.EMPTY;
    for (boolean isEnd = false; !isEnd; ) {
      FoundRows found = read(partition, after, bytesMax).await();
      if (found.hasRows()) {
        ChangeBatch batch = found.batch();
        for (RowCursor row = batch.rows(); row.next(); ) {
          keys.add(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
        }
      }
      after = found.lastKey;
      isEnd = found.isEnd;
    }
    return keys;
  }

  int snapshotCount() {
    return shards.all().stream().mapToInt(shard -> shard.store().snapshotCount()).sum();
  }

  @Override
  public void close() throws IOException {
    bases.close();
    shards.close();
  }
}
