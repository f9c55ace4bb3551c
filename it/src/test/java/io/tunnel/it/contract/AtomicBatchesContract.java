package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.fixtures.Poll;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.processor.AtomicBatch;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchedKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Rows of one partition that are applied together, or not at all. */
abstract class AtomicBatchesContract extends Contract {

  private static final int ROWS = 5;

  @Test
  void all_rows_are_applied_in_order_at_positions_that_follow_each_other() {
    TableInfo table = table();
    String name = table.meta().name();
    BatchWriteResult result =
        tables()
            .writeAtomically(
                name,
                List.of(
                    put(1, 10),
                    add(1, 1).onlyIf(Condition.parse("v = 10")),
                    put(2, 20),
                    new RowDeleteChange(key(2), RowExistenceExpectation.EXPECT_EXIST),
                    add(3, 7)));
    long first = result.results().get(0).position();
    assertThat(result.results())
        .extracting(RowResult::position)
        .containsExactly(first, first + 1, first + 2, first + 3, first + 4);
    assertThat(value(name, 1)).isEqualTo(11);
    assertThat(tables().getRow(name, key(2))).isEmpty();
    assertThat(value(name, 3)).isEqualTo(7);
  }

  @Test
  void a_watch_is_given_the_rows_of_a_batch_that_match_and_none_of_a_refused_one()
      throws Exception {
    TableInfo table = table();
    String name = table.meta().name();
    WatchedKeys some = WatchedKeys.keys(List.of(key(1), key(3)));
    Watch few = closing(tables().watch(name, some, WatchConfig.FROM_NOW));
    Watch all = closing(tables().watch(name, WatchedKeys.leading(List.of()), WatchConfig.FROM_NOW));
    BatchWriteResult refused =
        tables()
            .tryWriteAtomically(
                name, List.of(put(1, 1), add(1, 1).onlyIf(Condition.parse("v = 9")), put(3, 3)));
    assertThat(refused.results()).extracting(RowResult::outcome).containsOnly(Outcome.REJECTED);
    long first =
        tables()
            .writeAtomically(name, List.of(put(1, 5), put(2, 6), put(3, 7), add(1, 1)))
            .results()
            .get(0)
            .position();
    write(table, put(2, 9));
    assertThat(positions(few, 3)).containsExactly(first, first + 2, first + 3);
    assertThat(positions(all, 5))
        .containsExactly(first, first + 1, first + 2, first + 3, first + 4);
  }

  private static List<Long> positions(Watch watch, int count) throws InterruptedException {
    List<Long> positions = new ArrayList<>();
    while (positions.size() < count) {
      List<WatchEvent> events = watch.poll(Duration.ofSeconds(60));
      assertThat(events).as("behind %s", positions).isNotEmpty();
      for (WatchEvent event : events) {
        assertThat(event.record().atomicBatch()).isEmpty();
        positions.add(event.record().position());
      }
    }
    return positions;
  }

  @Test
  void a_refused_row_refuses_all_rows_and_later_writes_see_none_of_them() {
    TableInfo table = table();
    String name = table.meta().name();
    write(table, put(1, 1));
    BatchWriteResult refused =
        tables()
            .tryWriteAtomically(
                name,
                List.of(
                    put(1, 2),
                    add(2, 5),
                    new RowDeleteChange(key(1)),
                    add(1, 1).onlyIf(Condition.parse("v = 2")),
                    put(3, 3)));
    assertThat(refused.results()).extracting(RowResult::outcome).containsOnly(Outcome.REJECTED);
    assertThat(refused.results())
        .extracting(row -> row.error().orElseThrow())
        .containsExactly(
            ErrorCode.BATCH_REFUSED,
            ErrorCode.BATCH_REFUSED,
            ErrorCode.BATCH_REFUSED,
            ErrorCode.CONDITION_FAILED,
            ErrorCode.BATCH_REFUSED);
    write(table, add(1, 1).onlyIf(Condition.parse("v = 1")), add(2, 1));
    assertThat(value(name, 1)).isEqualTo(2);
    assertThat(value(name, 2)).isEqualTo(1);
    assertThat(tables().getRow(name, key(3))).isEmpty();
  }

  @Test
  void rows_of_two_partitions_and_too_many_rows_are_refused_and_named() {
    TableInfo table = table(50);
    String name = table.meta().name();
    BatchWriteResult split =
        tables().tryWriteAtomically(name, List.of(put(1, 1), put(2, 2), put(60, 3), put(4, 4)));
    assertThat(split.count(Outcome.REJECTED)).isEqualTo(4);
    assertThat(split.results().get(3).error()).contains(ErrorCode.INVALID_REQUEST);
    assertThat(split.results().get(3).message()).contains("row 2").contains("id=60");
    List<RowChange> many = new ArrayList<>();
    for (int i = 0; i <= Limits.ATOMIC_ROWS_MAX; i++) {
      many.add(put(i % 50, i));
    }
    assertThat(tables().tryWriteAtomically(name, many).results().get(0).message())
        .contains("at most " + Limits.ATOMIC_ROWS_MAX + " rows");
    assertThat(tables().getRow(name, key(1))).isEmpty();
    many.remove(0);
    assertThat(tables().tryWriteAtomically(name, many).allApplied()).isTrue();
  }

  @Test
  void a_writer_keeps_the_order_of_its_rows_and_its_batches() {
    TableInfo table = table();
    String name = table.meta().name();
    List<CompletableFuture<BatchWriteResult>> batches = new ArrayList<>();
    try (TableWriter writer = tables().openWriter(name)) {
      for (int i = 0; i < 50; i++) {
        var unused = writer.add(put(1, i));
        Condition next = Condition.parse("v = " + i);
        batches.add(writer.addAtomically(List.of(put(1, 1_000), put(2, i).onlyIf(next))));
        batches.add(writer.addAtomically(List.of(put(1, i).onlyIf(next), add(3, 1), add(3, 1))));
      }
    }
    for (int i = 0; i < 100; i++) {
      boolean isApplied = i == 1 || i % 2 == 1;
      assertThat(batches.get(i).join().allApplied()).as("batch " + i).isEqualTo(isApplied);
    }
    assertThat(value(name, 3)).isEqualTo(100);
  }

  /** Fails at one row for good, and keeps the batches of each other callback. */
  private static final class Failing implements IChannelProcessor {
    private final List<List<StreamRecord>> callbacks = new CopyOnWriteArrayList<>();

    @Override
    public void process(ProcessRecordsInput input) {
      if (input.getRecords().stream().anyMatch(record -> id(record) == 22)) {
        throw new IllegalArgumentException("row 22 is not possible");
      }
      callbacks.add(List.copyOf(input.getRecords()));
    }

    @Override
    public void shutdown() {}

    List<Long> ids() {
      return callbacks.stream().flatMap(List::stream).map(Failing::id).toList();
    }

    private static long id(StreamRecord record) {
      return record.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong();
    }
  }

  @Test
  void a_callback_has_whole_batches_and_a_batch_with_a_bad_row_is_skipped_whole() {
    TableInfo table = table();
    String name = table.meta().name();
    for (long batch = 1; batch <= 3; batch++) {
      write(table, put(batch * 10 + 8, 0));
      tables().writeAtomically(name, rows(batch * 10));
      write(table, put(batch * 10 + 9, 0));
    }
    Failing failing = new Failing();
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder()
            .processor(failing)
            .processRowsMax(3)
            .checkpointIntervalInMillis(10)
            .skippedFailures(List.of(IllegalArgumentException.class))
            .build();
    var unused = worker(tunnel(table, "whole", TunnelType.Stream), config);
    Poll.until("the last row is processed", () -> failing.ids().contains(39L));
    assertThat(failing.ids())
        .containsExactly(
            18L, 10L, 11L, 12L, 13L, 14L, 19L, 28L, 29L, 38L, 30L, 31L, 32L, 33L, 34L, 39L);
    failing.callbacks.forEach(AtomicBatchesContract::requireWhole);
  }

  private static void requireWhole(List<StreamRecord> callback) {
    for (int i = 0; i < callback.size(); i++) {
      AtomicBatch batch = callback.get(i).atomicBatch().orElse(null);
      if (batch == null) {
        continue;
      }
      assertThat(batch.size()).isEqualTo(ROWS);
      assertThat(batch.number() + batch.index()).isEqualTo(callback.get(i).position());
      assertThat(batch.isFirst()).isEqualTo(batch.index() == 0);
      assertThat(i - batch.index()).isNotNegative();
      assertThat(i - batch.index() + batch.size()).isLessThanOrEqualTo(callback.size());
      assertThat(batch.isLast() || callback.get(i + 1).atomicBatch().isPresent()).isTrue();
    }
  }

  @Test
  void a_seek_into_a_batch_begins_with_the_first_change_of_the_batch() throws Exception {
    TableInfo table = table();
    String name = table.meta().name();
    write(table, put(1, 1));
    long first = tables().writeAtomically(name, rows(10)).results().get(0).position();
    String tunnelId = tunnel(table, "sought", TunnelType.Stream);
    tunnels()
        .seekTunnel(
            SeekTunnelRequest.toPosition(
                name, "sought", channels(table, "sought").now().get(0).getChannelId(), first + 2));
    Failing all = new Failing();
    var unused =
        worker(tunnelId, TunnelWorkerConfig.builder().processor(all).processRowsMax(2).build());
    Poll.until("the batch is processed", () -> all.ids().contains(14L));
    assertThat(all.ids()).containsExactly(10L, 11L, 12L, 13L, 14L);
  }

  private static List<RowChange> rows(long firstId) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(put(firstId + i, i));
    }
    return rows;
  }

  private static RowUpdateChange add(long id, long delta) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment("v", delta)));
  }

  private long value(String table, long id) {
    return tables().getRow(table, key(id)).orElseThrow().value("v").orElseThrow().asLong();
  }
}
