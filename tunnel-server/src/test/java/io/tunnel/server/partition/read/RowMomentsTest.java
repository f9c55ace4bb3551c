package io.tunnel.server.partition.read;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.server.table.BaseRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RowMomentsTest {

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong();
  private Shards shards;
  private int partition;
  private Optional<RefusedException> elsewhere = Optional.empty();
  private RowMoments moments;

  @BeforeEach
  void open() throws IOException {
    Shards.Layout layout = TestShards.layout(directory, 1, 1 << 20);
    shards = Shards.open(layout, id -> true, new NoMeter(), new TestClock());
    Catalog catalog = new Catalog(new MemoryCatalogStore());
    partition =
        catalog
            .createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0)
            .partitions()
            .get(0)
            .id();
    Shard.Clock clock =
        new Shard.Clock() {
          @Override
          public long epochMicros() {
            return 1;
          }

          @Override
          public long nanos() {
            return nanos.get();
          }
        };
    moments = new RowMoments(catalog, this::host, shards, Runnable::run, clock);
  }

  private PartitionHost host(int id) {
    elsewhere.ifPresent(
        reason -> {
          throw reason;
        });
    return shards.of(id);
  }

  @AfterEach
  void close() throws IOException {
    shards.close();
  }

  /** Rows of a read, and the position of the read. */
  private static final class Found extends CompletableFuture<Found> implements BaseRows.Sink {
    private OptionalLong at = OptionalLong.empty();
    private final Set<Bytes> keys = new TreeSet<>();
    private Bytes last = Bytes.EMPTY;
    private boolean isEnd;

    @Override
    public void at(long position) {
      assertThat(at).as("told once").isEmpty();
      at = OptionalLong.of(position);
    }

    @Override
    public void rows(byte[] batch, long lastPosition, Bytes lastKey, boolean end) {
      ChangeBatch parsed = ChangeBatch.parse(batch, 0, batch.length);
      for (RowCursor row = parsed.rows(); row.next(); ) {
        keys.add(Bytes.copyOf(parsed.array(), row.keyOffset(), row.keyBytes()));
      }
      last = lastKey;
      isEnd = end;
      complete(this);
    }

    @Override
    public void more() {
      complete(this);
    }

    @Override
    public void end() {
      isEnd = true;
      complete(this);
    }

    @Override
    public void failed(RuntimeException reason) {
      completeExceptionally(reason);
    }
  }

  private Found read(BaseRows rows, Bytes after, int bytesMax) {
    Found found = new Found();
    rows.read("", partition, after, 1, bytesMax, found);
    return found;
  }

  private static Found await(Found found) throws Exception {
    return found.get(60, TimeUnit.SECONDS);
  }

  private void write(String... keys) throws Exception {
    for (String key : keys) {
      post(put(key)).result();
    }
  }

  private Outcomes post(RowChange change) {
    Outcomes outcome = new Outcomes();
    shards.of(partition).write(Outcomes.write(batch(partition, change), false, outcome));
    return outcome;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void every_page_is_exactly_the_table_at_the_position_that_it_tells(long seed) throws Exception {
    Random random = new Random(seed);
    List<RowChange> written = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      String key = "k" + random.nextInt(300);
      written.add(random.nextInt(3) == 0 ? new RowDeleteChange(TestRows.key(key)) : put(key));
    }
    Thread writer = new Thread(() -> written.forEach(this::post));
    writer.start();
    long position = 0;
    for (int reading = 0; reading < 20; reading++) {
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(RowMoments.AGE_MS_MAX / 4));
      BaseRows rows = moments.since(position);
      Bytes after = Bytes.EMPTY;
      for (boolean isEnd = false; !isEnd; ) {
        Found page = await(read(rows, after, 300));
        assertThat(page.at.orElseThrow()).isGreaterThanOrEqualTo(position);
        position = page.at.orElseThrow();
        assertThat(page.keys)
            .as("seed %d, rows behind %s at position %d", seed, after, position)
            .isEqualTo(between(keysAt(written, position), after, page));
        after = page.last;
        isEnd = page.isEnd;
      }
    }
    writer.join();
  }

  private static Set<Bytes> keysAt(List<RowChange> written, long position) {
    Set<Bytes> keys = new TreeSet<>();
    for (RowChange change : written.subList(0, (int) position)) {
      Bytes key =
          TestRows.keyBytes(
              change.primaryKey().getPrimaryKeyColumns().get(0).getValue().asString());
      if (change instanceof RowDeleteChange) {
        keys.remove(key);
      } else {
        keys.add(key);
      }
    }
    return keys;
  }

  private static Set<Bytes> between(Set<Bytes> keys, Bytes after, Found page) {
    keys.removeIf(
        key -> key.compareTo(after) <= 0 || (!page.isEnd && key.compareTo(page.last) > 0));
    return keys;
  }

  @Test
  void a_moment_serves_all_who_may_be_given_it_until_it_is_too_old() throws Exception {
    write("a");
    assertThat(await(read(moments.since(1), Bytes.EMPTY, 1_000)).at).hasValue(1);
    write("b");
    assertThat(await(read(moments.since(0), Bytes.EMPTY, 1_000)).keys).hasSize(1);
    Found later = await(read(moments.since(2), Bytes.EMPTY, 1_000));
    assertThat(later.at).as("somebody knows already of a change behind it").hasValue(2);
    assertThat(later.keys).hasSize(2);
    assertThat(moments.count()).isEqualTo(1);
    assertThat(shards.of(partition).store().snapshotCount()).isEqualTo(1);
    write("c");
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(RowMoments.AGE_MS_MAX) - 1);
    moments.tick();
    assertThat(await(read(moments.since(0), Bytes.EMPTY, 1_000)).at).hasValue(2);
    nanos.addAndGet(1);
    moments.tick();
    assertThat(moments.count()).isZero();
    assertThat(shards.of(partition).store().snapshotCount()).isZero();
    assertThat(await(read(moments.since(0), Bytes.EMPTY, 1_000)).at).hasValue(3);
  }

  @Test
  void a_partition_without_rows_says_since_when() throws Exception {
    post(put("a")).result();
    post(new RowDeleteChange(TestRows.key("a"))).result();
    Found none = await(read(moments.since(0), Bytes.EMPTY, 0));
    assertThat(none.isEnd).isTrue();
    assertThat(none.at).hasValue(2);
  }

  @Test
  void a_moment_is_taken_behind_all_that_its_shard_has_to_do() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    shards.of(partition).execute(partition, () -> awaitRelease(held));
    Outcomes written = post(put("a"));
    Found found = read(moments.since(0), Bytes.EMPTY, 1_000);
    boolean wasDone = found.isDone();
    held.countDown();
    assertThat(wasDone).as("what is before it is not folded").isFalse();
    written.result();
    assertThat(await(found).keys).hasSize(1);
    assertThat(found.at).hasValue(1);
  }

  private static void awaitRelease(CountDownLatch held) {
    try {
      assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_partition_that_was_given_up_is_not_read_as_if_it_were_empty() {
    elsewhere = Optional.of(RefusedException.notLeader("not here", Optional.empty()));
    Found found = read(moments.since(0), Bytes.EMPTY, 1_000);
    assertThatThrownBy(found::join)
        .hasCauseInstanceOf(RefusedException.class)
        .extracting(failure -> ((RefusedException) failure.getCause()).code())
        .isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(moments.count()).isZero();
  }
}
