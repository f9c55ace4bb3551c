package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.TableMeta;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.MemoryCatalogStore;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BaseSnapshotsTest {

  private static final String TUNNEL = "tunnel";
  private static final long AGE_MS_MAX = 60_000;
  private static final int ALL_BYTES = 1 << 20;

  @TempDir private Path directory;
  private final Readers readers = new Readers();
  private final JumpingClock clock = new JumpingClock();
  private Shards shards;
  private Catalog catalog;
  private TableRecord table;
  private List<Integer> partitions;
  private BaseSnapshots bases;

  /** Readers that are the test's own thread, and may be full. */
  private static final class Readers implements Executor {
    private boolean isFull;
    private boolean isPaused;
    private final Queue<Runnable> waiting = new ArrayDeque<>();

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

  private static final class JumpingClock implements Shard.Clock {
    private final AtomicLong nanos = new AtomicLong();
    private boolean isBroken;

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

  private static final class Answer extends CompletableFuture<Map<Integer, Long>>
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
      return get(30, TimeUnit.SECONDS);
    }
  }

  @BeforeEach
  void open() throws IOException {
    Shards.Layout layout = TestShards.layout(directory, 2, 1 << 20);
    shards = Shards.open(layout, id -> true, new NoMeter(), new TestClock());
    catalog = new Catalog(new MemoryCatalogStore());
    List<PrimaryKeyValue> points =
        List.of(PrimaryKeyValue.fromString("k3"), PrimaryKeyValue.fromString("k6"));
    table = catalog.createTable(new TableMeta("t", TestRows.SCHEMA), points, 0);
    partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    bases = new BaseSnapshots(catalog, shards, readers, clock, AGE_MS_MAX);
  }

  @AfterEach
  void close() throws IOException {
    bases.close();
    shards.close();
  }

  private Outcomes post(ChangeBatch batch) {
    Outcomes outcome = new Outcomes();
    shards.of(batch.partition()).write(Outcomes.write(batch, false, outcome));
    return outcome;
  }

  private void write(String key) throws Exception {
    int partition = table.partitionOf(keyBytes(key)).id();
    post(batch(partition, put(key))).result();
    CountDownLatch isFolded = new CountDownLatch(1);
    shards.of(partition).execute(isFolded::countDown);
    assertThat(isFolded.await(30, TimeUnit.SECONDS)).isTrue();
  }

  private Map<Integer, Long> begin() throws Exception {
    Answer answer = new Answer();
    bases.begin(TUNNEL, partitions, answer);
    return answer.await();
  }

  private FoundRows read(int partition, Bytes after, int bytesMax) {
    FoundRows found = new FoundRows();
    bases.read(TUNNEL, partition, after, 1, bytesMax, found);
    return found;
  }

  /** Keys of the partition's rows, read in pages. */
  private List<Bytes> keys(int partition, int bytesMax) throws Exception {
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

  private int snapshotCount() {
    return shards.all().stream().mapToInt(shard -> shard.store().snapshotCount()).sum();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void rowsAndPositionsAreOfOneMomentWhateverIsWrittenAroundIt(long seed) throws Exception {
    Random random = new Random(seed);
    Map<Integer, List<RowChange>> written = new HashMap<>();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < 2_000; i++) {
                int partition = partitions.get(random.nextInt(partitions.size()));
                String key = "k" + (3 * partitions.indexOf(partition)) + random.nextInt(50);
                RowChange change =
                    random.nextInt(3) == 0 ? new RowDeleteChange(TestRows.key(key)) : put(key);
                written.computeIfAbsent(partition, id -> new ArrayList<>()).add(change);
                post(batch(partition, change));
              }
            });
    writer.start();
    Map<Integer, Long> committed = begin();
    List<List<Bytes>> duringWrites = new ArrayList<>();
    for (int partition : partitions) {
      duringWrites.add(keys(partition, 100));
    }
    writer.join();
    for (int partition : partitions) {
      write("k" + 3 * partitions.indexOf(partition) + "z");
    }
    for (int i = 0; i < partitions.size(); i++) {
      int partition = partitions.get(i);
      Set<Bytes> expected = new TreeSet<>();
      long position = committed.get(partition);
      for (RowChange change :
          written.getOrDefault(partition, List.of()).subList(0, (int) position)) {
        Bytes key =
            TestRows.keyBytes(
                change.primaryKey().getPrimaryKeyColumns().get(0).getValue().asString());
        if (change instanceof RowDeleteChange) {
          expected.remove(key);
        } else {
          expected.add(key);
        }
      }
      assertThat(duringWrites.get(i)).containsExactlyElementsOf(expected);
      assertThat(keys(partition, ALL_BYTES)).containsExactlyElementsOf(expected);
    }
  }

  @Test
  void aShardsSnapshotIsFreedWithTheLastOfItsPartitions() throws Exception {
    begin();
    assertThat(snapshotCount()).isEqualTo(2);
    Map<Shard, List<Integer>> byShard = new HashMap<>();
    partitions.forEach(
        id -> byShard.computeIfAbsent(shards.of(id), shard -> new ArrayList<>()).add(id));
    int left = 2;
    for (List<Integer> ids : byShard.values()) {
      for (int id : ids) {
        assertThat(snapshotCount()).isEqualTo(left);
        bases.forget(TUNNEL, id);
        bases.forget(TUNNEL, id);
      }
      left--;
      assertThat(snapshotCount()).isEqualTo(left);
    }
  }

  @Test
  void aForgottenTunnelHasNoSnapshotsAndMayBeForgottenAgain() throws Exception {
    begin();
    bases.forget(TUNNEL);
    bases.forget(TUNNEL);
    bases.forget(TUNNEL, partitions.get(0));
    assertThat(snapshotCount()).isZero();
  }

  @Test
  void aTunnelForgottenWhileItsShardsAreBusyKeepsNothing() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    shards
        .all()
        .forEach(
            shard ->
                shard.execute(
                    () -> {
                      try {
                        mayGoOn.await(30, TimeUnit.SECONDS);
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                    }));
    Answer answer = new Answer();
    bases.begin(TUNNEL, partitions, answer);
    bases.forget(TUNNEL);
    mayGoOn.countDown();
    assertThat(answer.await().keySet()).containsExactlyInAnyOrderElementsOf(partitions);
    assertThat(snapshotCount()).isZero();
  }

  @Test
  void rowsOfATunnelThatAreKeptAlreadyAreNotKeptTwice() throws Exception {
    begin();
    assertThatThrownBy(this::begin).isInstanceOf(IllegalStateException.class);
    assertThat(snapshotCount()).isEqualTo(2);
  }

  @Test
  void aSnapshotThatIsTooOldIsGivenUpAndTheRowsAreReadAsTheyAre() throws Exception {
    int partition = partitions.get(0);
    write("k1");
    begin();
    write("k2");
    clock.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(AGE_MS_MAX) - 1);
    bases.tick();
    assertThat(keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"));
    assertThat(read(partition, Bytes.EMPTY, ALL_BYTES).await().batch().commitMicros())
        .as("the moment of the snapshot")
        .isEqualTo(5_000_000);
    clock.nanos.incrementAndGet();
    bases.tick();
    assertThat(snapshotCount()).isZero();
    assertThat(keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"), keyBytes("k2"));
    assertThat(read(partition, Bytes.EMPTY, ALL_BYTES).await().batch().commitMicros())
        .as("now")
        .isEqualTo(clock.epochMicros());
    assertThat(snapshotCount()).as("none is left behind by a read").isZero();
  }

  @Test
  void aReadMayFindThatThereIsARowOrNone() throws Exception {
    write("k1");
    begin();
    assertThat(read(partitions.get(0), Bytes.EMPTY, 0).await().isMore).isTrue();
    assertThat(read(partitions.get(0), keyBytes("k1"), 0).await().isEnd).isTrue();
    FoundRows none = read(partitions.get(1), Bytes.EMPTY, ALL_BYTES).await();
    assertThat(none.isEnd && !none.hasRows()).isTrue();
  }

  @Test
  void aReadThatFindsTheReadersBusyIsDoneLater() throws Exception {
    write("k1");
    begin();
    readers.isFull = true;
    FoundRows found = read(partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    bases.tick();
    assertThat(found.isTold()).isFalse();
    readers.isFull = false;
    bases.tick();
    assertThat(found.await().lastKey).isEqualTo(keyBytes("k1"));
    bases.tick();
  }

  @Test
  void aReadThatWaitsWhenTheServerStopsIsRefused() throws Exception {
    begin();
    readers.isFull = true;
    FoundRows before = read(partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    bases.close();
    FoundRows after = read(partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    for (FoundRows refused : List.of(before, after)) {
      requireRefused(ErrorCode.SHUTTING_DOWN, refused::await);
    }
    assertThat(snapshotCount()).isZero();
  }

  @Test
  void aReadThatComesWhenTheShardsAreClosedIsRefused() throws Exception {
    begin();
    readers.isPaused = true;
    FoundRows found = read(partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    bases.close();
    shards.close();
    readers.waiting.remove().run();
    requireRefused(ErrorCode.SHUTTING_DOWN, found::await);
    requireRefused(ErrorCode.SHUTTING_DOWN, this::begin);
  }

  @Test
  void aShardWhoseRowsMayNotBeWholeRefusesAndNothingIsKept() throws Exception {
    Shard broken = shards.of(partitions.get(0));
    broken.execute(
        () -> {
          throw new StackOverflowError("injected");
        });
    assertThat(post(batch(partitions.get(0), put("k1"))).refusal())
        .isEqualTo(ErrorCode.STORAGE_FAILED);
    requireRefused(ErrorCode.STORAGE_FAILED, this::begin);
    assertThat(snapshotCount()).isZero();
  }

  @Test
  void rowsOfATableThatWasDroppedAreRefused() throws Exception {
    catalog.dropTable(table, io.tunnel.server.catalog.Asked.NAMELESS);
    FoundRows found = new FoundRows();
    bases.read(TUNNEL, partitions.get(0), Bytes.EMPTY, 1, ALL_BYTES, found);
    requireRefused(ErrorCode.TABLE_NOT_FOUND, found::await);
  }

  @FunctionalInterface
  private interface Asked {
    Object answer() throws Exception;
  }

  private static void requireRefused(ErrorCode code, Asked asked) {
    assertThatThrownBy(asked::answer)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  /** Nobody else would ever tell the channel, which reads nothing until it is told. */
  @Test
  void aReadThatAnErrorEndsIsToldToHaveFailed() throws Exception {
    write("k1");
    clock.isBroken = true;
    FoundRows found = read(partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    assertThatThrownBy(found::await)
        .cause()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL));
  }
}
