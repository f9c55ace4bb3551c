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
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.server.table.TableRows;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A table whose partitions are on two shards, and what is kept of its rows for a tunnel. */
final class BaseFixture implements Closeable {

  static final String TUNNEL = "tunnel";
  static final long AGE_MS_MAX = 60_000;
  static final int COUNT_MAX = 4;
  static final int ALL_BYTES = 1 << 20;

  final Readers readers = new Readers();
  final JumpingClock clock = new JumpingClock();
  final Shards shards;
  final Catalog catalog;
  final TableRecord table;
  final List<Integer> partitions;
  final BaseSnapshots bases;

  /** The epoch in which all partitions are led. */
  long epoch = 1;

  /** Whether the shared log answers no strict read. */
  boolean isLogSilent;

  int strictReads;

  /** Of strict reads that the log does not answer. */
  final List<Consumer<RefusedException>> refusals = new ArrayList<>();

  /** Why all hosts refuse reads at present. */
  Optional<RefusedException> refusal = Optional.empty();

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

  /** A shard as the host of one partition in one epoch, as a node of a cluster has it. */
  private final class Led implements PartitionHost {
    private final Shard shard;
    private final long led = epoch;

    Led(Shard shard) {
      this.shard = shard;
    }

    @Override
    public void write(PendingWrite write) {
      shard.write(write);
    }

    @Override
    public void execute(int partition, Runnable action) {
      shard.execute(partition, action);
    }

    @Override
    public void executeStrictly(
        int partition, Runnable action, Consumer<RefusedException> refused) {
      strictReads++;
      if (isLogSilent) {
        refusals.add(refused);
      } else {
        shard.execute(partition, action);
      }
    }

    @Override
    public TableRows table() {
      return shard.table();
    }

    @Override
    public TableRows tableNow(int partition) {
      return shard.tableNow(partition);
    }

    @Override
    public void requireWhole() {
      if (led != epoch) {
        throw elsewhere();
      }
      refusal.ifPresent(
          reason -> {
            throw reason;
          });
      shard.requireWhole();
    }
  }

  static RefusedException elsewhere() {
    return RefusedException.notLeader("another epoch", Optional.empty());
  }

  BaseFixture(Path directory) throws IOException {
    Shards.Layout layout = TestShards.layout(directory, 2, 1 << 20);
    shards = Shards.open(layout, id -> true, new NoMeter(), new TestClock());
    catalog = new Catalog(new MemoryCatalogStore());
    List<PrimaryKeyValue> points =
        List.of(PrimaryKeyValue.fromString("k3"), PrimaryKeyValue.fromString("k6"));
    table = catalog.createTable(new TableMeta("t", TestRows.SCHEMA), points, 0);
    partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    bases =
        new BaseSnapshots(
            catalog,
            partition -> new Led(shards.of(partition)),
            shards,
            readers,
            clock,
            new BaseSnapshots.Limits(AGE_MS_MAX, COUNT_MAX));
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
    return begin(TUNNEL);
  }

  Map<Integer, Long> begin(String tunnelId) throws Exception {
    Map<Integer, CompletableFuture<Long>> answers = new TreeMap<>();
    partitions.forEach(each -> answers.put(each, bases.keep(tunnelId, each)));
    try {
      CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
          .get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      bases.forget(tunnelId);
      throw e;
    }
    Map<Integer, Long> committed = new TreeMap<>();
    answers.forEach((partition, position) -> committed.put(partition, position.join()));
    return committed;
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
