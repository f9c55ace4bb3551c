package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.PassedTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention over real logs and tables, one partition each, with a clock that the test moves. */
final class RetentionTest {

  private static final long DAY_MS = 24L * 3_600_000;

  @TempDir private Path directory;

  private final LongAdder changesTrimmed = new LongAdder();
  private final LongAdder bytesFreed = new LongAdder();
  private Disks disks = Disks.ofSystem();
  private long nowMicros = 1_000_000;
  private Catalog catalog;
  private Shards shards;
  private OwnLogs tables;
  private int rows;

  /** Counts what was trimmed. */
  private final class Counting implements Shard.Meter {
    @Override
    public void committed(int shard, long rows, long bytes, long commitNanos) {}

    @Override
    public void folded(int shard, long foldNanos) {}

    @Override
    public void rejected(int shard, long rows) {}

    @Override
    public void trimmed(int shard, long changes, long segments, long bytes) {
      changesTrimmed.add(changes);
      bytesFreed.add(bytes);
    }
  }

  private final class SetClock implements Shard.Clock {
    @Override
    public long epochMicros() {
      return nowMicros;
    }

    @Override
    public long nanos() {
      return 0;
    }
  }

  @BeforeEach
  void open() throws IOException {
    catalog = new Catalog(new MemoryCatalogStore());
    Shards.Layout layout = TestShards.layout(directory, 1, 1 << 16);
    shards = Shards.open(on(layout, disks), id -> true, new Counting(), new SetClock());
    tables = new OwnLogs(catalog, shards, ShardConfig.EXPIRED_ROWS_PER_SECOND_MAX_DEFAULT);
  }

  private static Shards.Layout on(Shards.Layout layout, Disks disks) {
    return new Shards.Layout(
        layout.directory(),
        layout.count(),
        layout.segmentBytesMax(),
        layout.shard(),
        layout.table(),
        disks);
  }

  @AfterEach
  void close() throws IOException {
    shards.close();
  }

  private TableRecord table(String name, long retentionMs, long retentionBytes) throws IOException {
    TableOptions options = new TableOptions(Durability.FSYNC, retentionMs, retentionBytes);
    return catalog.createTable(new TableMeta(name, TestRows.SCHEMA, options), List.of(), 1);
  }

  private static int id(TableRecord table) {
    return table.partitions().get(0).id();
  }

  /** Writes one change of about {@code bytes}. */
  private void write(TableRecord table, int bytes) throws Exception {
    Outcomes outcome = new Outcomes();
    Column value = new Column("v", ColumnValue.fromString("v".repeat(bytes)));
    shards
        .of(id(table))
        .write(Outcomes.write(batch(id(table), put("k" + rows++, value)), false, outcome));
    assertThat(outcome.result().appliedRows()).isEqualTo(1);
  }

  /** Looks, and returns when the shard has done its part. */
  private void look() throws Exception {
    tables.retain(PassedTime.at(nowMicros));
    CountDownLatch isDone = new CountDownLatch(1);
    shards.all().get(0).execute(Set.of(), isDone::countDown);
    isDone.await();
  }

  private void pass(long ms) {
    nowMicros += ms * 1_000;
  }

  @Test
  void an_idle_table_loses_its_history_in_time_and_its_neighbour_nothing() throws Exception {
    TableRecord table = table("short", DAY_MS, 0);
    TableRecord neighbour = table("for-ever", 0, 0);
    write(table, 100);
    write(neighbour, 100);
    pass(DAY_MS);
    look();
    assertThat(shards.firstPosition(id(table))).as("a day is kept").isEqualTo(1);
    pass(1);
    look();
    look();
    assertThat(shards.firstPosition(id(table))).isEqualTo(2);
    assertThat(shards.committed(id(table))).isEqualTo(1);
    assertThat(shards.firstPosition(id(neighbour))).isEqualTo(1);
    assertThat(new Tables(shards).describe(table).partitions().get(0).changeBytes()).isZero();
    assertThat(new Tables(shards).describe(neighbour).partitions().get(0).changeBytes())
        .isPositive();
    assertThat(changesTrimmed.sum()).isEqualTo(1);
    assertThatThrownBy(() -> shards.plan(id(table), 1, 1))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("changes 1 to 1 of partition " + id(table));
  }

  @Test
  void bytes_beyond_the_limit_go_and_at_least_the_limit_stays() throws Exception {
    int limit = 100_000;
    TableRecord table = table("small", 0, limit);
    for (int i = 0; i < 200; i++) {
      write(table, 4_000);
      look();
      assertThat(shards.bytesAfter(id(table), shards.firstPosition(id(table)) - 1))
          .isBetween((long) Math.min(limit, i * 4_000), 2L * limit + 80_000);
    }
    assertThat(shards.firstPosition(id(table))).isGreaterThan(100);
  }

  @Test
  void an_idle_table_keeps_the_segment_of_a_burst_until_the_limit_is_written_behind_it()
      throws Exception {
    int limit = 8_000;
    TableRecord table = table("burst", 0, limit);
    for (int i = 0; i < 10; i++) {
      write(table, 4_000);
    }
    look();
    look();
    assertThat(shards.firstPosition(id(table))).as("all of the burst is kept").isEqualTo(1);
    for (int i = 0; i < 2; i++) {
      write(table, 4_000);
    }
    look();
    assertThat(shards.firstPosition(id(table))).as("none of it is").isEqualTo(11);
  }

  @Test
  void space_is_freed_when_the_table_is_on_disk_and_what_is_left_opens_again() throws Exception {
    TableRecord table = table("short", 1, 0);
    for (int i = 0; i < 60; i++) {
      write(table, 4_000);
    }
    pass(2);
    look();
    for (int i = 0; shards.all().get(0).log().segmentCount() > 1; i++) {
      // Folds and the table's flush run on threads of their own, so the first look may find a part
      // of the changes on disk. Each look asks again.
      assertThat(i).as("looks").isLessThan(1_000_000);
      look();
    }
    assertThat(shards.all().get(0).log().segmentCount()).isEqualTo(1);
    assertThat(bytesFreed.sum()).isPositive();
    close();
    open();
    assertThat(shards.committed(id(table))).isEqualTo(60);
    assertThat(shards.firstPosition(id(table))).isEqualTo(61);
    assertThat(shards.of(id(table)).table().count(id(table), 100).rows()).isEqualTo(60);
    write(table, 10);
    assertThat(shards.committed(id(table))).isEqualTo(61);
  }

  /** There is room for the file that says what is given up, and for no index. */
  @Test
  void a_disk_too_full_to_seal_a_segment_loses_those_that_are_sealed() throws Exception {
    close();
    CrashDisk disk = new CrashDisk();
    disks = unused -> disk;
    open();
    TableRecord table = table("short", 1, 0);
    for (int i = 0; i < 60; i++) {
      write(table, 4_000);
    }
    LocalLog log = shards.all().get(0).log();
    assertThat(log.segmentCount()).isGreaterThan(2);
    flush(log.end());
    pass(2);
    disk.room(70);
    look();
    assertThat(log.segmentCount()).isEqualTo(1);
    assertThat(bytesFreed.sum()).isPositive();
    long first = shards.firstPosition(id(table));
    assertThat(first).isBetween(30L, 60L);
    disk.room(Long.MAX_VALUE);
    look();
    look();
    assertThat(shards.firstPosition(id(table))).isEqualTo(61);
    write(table, 10);
    assertThat(shards.committed(id(table))).isEqualTo(61);
  }

  /** Waits until the table has everything up to there on disk. */
  private void flush(long offset) throws Exception {
    Shard shard = shards.all().get(0);
    ShardWaits.settle(shard);
    shard.rows().startFlush();
    while (shard.rows().durableOffset() < offset) {
      Thread.onSpinWait();
    }
  }

  @Test
  void changes_of_a_dropped_table_go_with_the_next_look() throws Exception {
    TableRecord table = table("dropped", 0, 0);
    write(table, 100);
    catalog.dropTable(table, Asked.NAMELESS);
    tables.drop(table);
    look();
    assertThat(changesTrimmed.sum()).isEqualTo(1);
  }

  @Test
  void other_options_take_effect_with_the_next_look() throws Exception {
    TableRecord table = table("altered", 0, 0);
    write(table, 100);
    pass(DAY_MS);
    look();
    look();
    assertThat(shards.firstPosition(id(table))).isEqualTo(1);
    catalog.alterTable(table, new TableOptions(Durability.OS, 1_000, 0), Asked.NAMELESS);
    look();
    look();
    assertThat(shards.firstPosition(id(table))).isEqualTo(2);
  }
}
