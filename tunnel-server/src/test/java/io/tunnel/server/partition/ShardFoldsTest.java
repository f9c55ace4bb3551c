package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static io.tunnel.server.partition.ShardWaits.settle;
import static io.tunnel.server.partition.ShardWaits.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What waits for rows that are acknowledged and not folded, and what does not. */
final class ShardFoldsTest {

  private static final int GROUP_BYTES_MAX = 4_096;
  private static final ShardConfig CONFIG =
      new ShardConfig(GROUP_BYTES_MAX, GROUP_BYTES_MAX, 8 << 20, 0);

  private final CrashDisk disk = new CrashDisk();
  private final HeldRows rows = new HeldRows();
  private Shard shard;

  @BeforeEach
  void start() throws IOException {
    shard =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(TestLogs.open(disk, 0)),
            rows,
            new NoMeter(),
            new TestClock());
    rows.hold();
    shard.start();
  }

  @AfterEach
  void close() {
    rows.letGo();
    try {
      shard.close();
    } catch (IOException e) {
      assertThat(shard.hasFailed()).isTrue();
    }
  }

  private Outcomes write(RowChange row, boolean isConditional) {
    Outcomes outcome = new Outcomes();
    shard.write(Outcomes.write(batch(1, row), isConditional, outcome));
    return outcome;
  }

  private Outcomes write(String key) {
    return write(put(key), false);
  }

  private static RowChange putIfThere(String key) {
    return new RowPutChange(key(key), List.of(), RowExistenceExpectation.EXPECT_EXIST);
  }

  @Test
  void writes_are_acknowledged_while_the_fold_of_others_lasts() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(write("k" + i).result().firstPosition()).isEqualTo(i + 1);
    }
    assertThat(rows.ends()).isEmpty();
    assertThat(shard.log().committed(1)).isEqualTo(5);
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
  }

  @Test
  void an_action_waits_until_all_that_was_acknowledged_before_it_is_folded() throws Exception {
    write("a").result();
    write("b").result();
    CountDownLatch isDone = new CountDownLatch(1);
    List<Boolean> seen = new ArrayList<>();
    shard.execute(
        1,
        () -> {
          seen.add(rows.has(keyBytes("a")));
          seen.add(rows.has(keyBytes("b")));
          isDone.countDown();
        });
    assertThat(isDone.await(50, TimeUnit.MILLISECONDS)).isFalse();
    rows.letGo();
    assertThat(isDone.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(seen).containsExactly(true, true);
  }

  @Test
  void the_table_of_now_waits_until_all_that_was_acknowledged_before_it_is_folded()
      throws Exception {
    write("a").result();
    CountDownLatch isThere = new CountDownLatch(1);
    Thread reader =
        new Thread(
            () -> {
              try {
                var unused = shard.tableNow(1);
              } catch (UnsupportedOperationException heldRowsHaveNoTable) {
                // The test needs the steps before the refusal only.
              } finally {
                isThere.countDown();
              }
            });
    reader.start();
    assertThat(isThere.await(50, TimeUnit.MILLISECONDS)).isFalse();
    rows.letGo();
    assertThat(isThere.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(rows.has(keyBytes("a"))).isTrue();
  }

  @Test
  void a_condition_is_judged_by_rows_that_are_folded() throws Exception {
    write("a").result();
    Outcomes there = write(putIfThere("a"), true);
    Outcomes missing = write(putIfThere("b"), true);
    rows.letGo();
    assertThat(there.result().rejections()).isEmpty();
    assertThat(missing.result().rejections()).hasSize(1);
  }

  /** The shard's thread may be busy with the disk when it happens. */
  @Test
  void rows_are_not_whole_from_the_moment_on_at_which_a_fold_fails() throws Exception {
    HeldRows refusing = new HeldRows();
    try (Shard stepped =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(TestLogs.open(new CrashDisk(), 0)),
            refusing,
            new NoMeter(),
            new TestClock())) {
      Outcomes outcome = new Outcomes();
      stepped.write(Outcomes.write(batch(1, put("a")), false, outcome));
      assertThat(stepped.step()).isTrue();
      assertThat(outcome.result().firstPosition()).isEqualTo(1);
      stepped.requireWhole();
      refusing.refuse(HeldRows.full());
      assertThatThrownBy(() -> stepped.tableNow(1))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(stepped::requireWhole)
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
      refusing.refuse(null);
    }
  }

  /** Names that the log has once for many writes are held once for each. */
  @Test
  void writes_wait_when_too_much_is_held_of_requests_whose_rows_are_small() throws Exception {
    Column[] columns = new Column[14];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new Column("n".repeat(250) + i, ColumnValue.fromLong(1));
    }
    for (int i = 0; i < 40; i++) {
      write(put("k" + i, columns), false);
    }
    assertThat(new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(shard.queuedBytes()).isPositive();
    assertThat(shard.unfoldedBytes()).isGreaterThan(16L * GROUP_BYTES_MAX);
    rows.letGo();
    until(() -> shard.queuedBytes() == 0 && shard.unfoldedBytes() == 0);
  }

  /** The memory of what waits is bounded: sixteen groups, the four that are folded, and one. */
  @Test
  void writes_wait_when_too_much_is_not_folded() throws Exception {
    Column large = new Column("c", ColumnValue.fromString("x".repeat(GROUP_BYTES_MAX)));
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      outcomes.add(write(put("k" + i, large), false));
    }
    outcomes.get(7).result();
    assertThat(new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(shard.queuedBytes()).isPositive();
    assertThat(shard.log().committed(1)).isLessThanOrEqualTo(21);
    rows.letGo();
    for (Outcomes outcome : outcomes) {
      assertThat(outcome.result().rejections()).isEmpty();
    }
    settle(shard);
    assertThat(rows.has(keyBytes("k39"))).isTrue();
  }

  @Test
  void a_fold_without_room_is_said_and_what_is_behind_it_is_folded_when_there_is_room()
      throws Exception {
    rows.refuse(HeldRows.full());
    write("a").result();
    write("b").result();
    rows.letGo();
    until(() -> shard.condition() == DiskCondition.DISK_FULL);
    assertThat(write("c").refusal()).isEqualTo(ErrorCode.BUSY);
    rows.refuse(null);
    shard.lookForRoom();
    settle(shard);
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
    assertThat(rows.has(keyBytes("a"))).isTrue();
    assertThat(rows.has(keyBytes("b"))).isTrue();
    assertThat(rows.has(keyBytes("c"))).isFalse();
    assertThat(write("d").result().firstPosition()).isEqualTo(3);
  }

  @Test
  void a_fold_that_failed_stops_the_shard_though_nobody_writes() throws Exception {
    rows.refuse(new IOException("injected"));
    write("a").result();
    rows.letGo();
    until(shard::hasFailed);
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
  }

  @Test
  void behind_a_log_that_failed_what_was_acknowledged_before_is_folded_and_read() throws Exception {
    write("a").result();
    disk.failAfter(CrashDisk.Operation.SYNC, 0);
    Outcomes failed = write("b");
    rows.letGo();
    assertThat(failed.refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    settle(shard);
    shard.requireWhole();
    assertThat(rows.has(keyBytes("a"))).isTrue();
    assertThat(rows.has(keyBytes("b"))).isFalse();
  }

  @Test
  void what_is_acknowledged_is_folded_when_the_shard_is_closed() throws Exception {
    write("a").result();
    write("b").result();
    rows.letGo();
    shard.close();
    assertThat(rows.has(keyBytes("b"))).isTrue();
  }
}
