package io.tunnel.programs.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.stress.rows.ChangeMix;
import io.tunnel.stress.rows.GeneratedRows;
import io.tunnel.stress.rows.RowShape;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.stress.rows.UniformKeys;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class DemoLedgerTest {

  private static final long MS = 1_000_000;

  private final DemoLedger ledger = new DemoLedger(List.of(partition(1)));

  private static PartitionInfo partition(int id) {
    return new PartitionInfo(
        id, Optional.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty());
  }

  private static List<RowChange> rows(int count) {
    GeneratedRows source =
        new GeneratedRows(new UniformKeys(10), RowShape.WHITEPAPER, new ChangeMix(80, 15, 5), 3);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(source.next());
    }
    return rows;
  }

  private static ProcessRecordsInput input(List<StreamRecord> records) {
    return new ProcessRecordsInput(
        records, "token", "trace", "1_c", new ProcessRecordsInput.Extent(1, 1, 0));
  }

  private void acknowledge(List<RowChange> rows, int from, int to, long nowNanos) {
    for (int i = from; i < to; i++) {
      ledger.completed(rows.get(i), RowResult.applied(1, i + 1L), nowNanos);
    }
  }

  @Test
  void what_is_delivered_after_its_acknowledgement_waited_since_then_and_before_it_not_at_all() {
    List<RowChange> rows = rows(30);
    List<StreamRecord> records = FingerprintTest.delivered(rows);
    acknowledge(rows, 0, 10, 5 * MS);
    acknowledge(rows, 10, 20, 8 * MS);
    ledger.arrived(input(records), 10 * MS);
    acknowledge(rows, 20, 30, 11 * MS);

    Histogram micros = ledger.intervalLatencies();
    assertThat(micros.getTotalCount()).isEqualTo(30);
    assertThat(micros.getCountBetweenValues(4_990, 5_010)).isEqualTo(10);
    assertThat(micros.getCountBetweenValues(1_995, 2_005)).isEqualTo(10);
    assertThat(micros.getCountAtValue(0)).isEqualTo(10);
    assertThat(ledger.rowsBeforeAck()).isEqualTo(10);
    assertThat(ledger.compare().isClean()).isTrue();
    assertThat(ledger.arrivedRows()).isEqualTo(30);
    assertThat(ledger.lastArrivalNanos()).isEqualTo(10 * MS);
  }

  @Test
  void a_callback_waited_since_its_row_was_given_to_the_writer_however_early_it_is() {
    List<RowChange> rows = rows(SentTimes.SAMPLED_ROWS + 1);
    Iterator<RowChange> left = rows.iterator();
    RowSource source = () -> left.hasNext() ? left.next() : null;
    AtomicLong now = new AtomicLong();
    RowSource timed = ledger.sent().of(source, () -> now.addAndGet(MS));
    for (RowChange row = timed.next(); row != null; row = timed.next()) {
      assertThat(rows).contains(row);
    }
    assertThat(now).as("the first and the last are of the sample").hasValue(2 * MS);
    ledger.arrived(input(FingerprintTest.delivered(rows)), 5 * MS);
    Histogram micros = ledger.latenciesSinceSent();
    assertThat(micros.getTotalCount()).isEqualTo(2);
    assertThat(micros.getCountBetweenValues(3_990, 4_010)).isEqualTo(1);
    assertThat(micros.getCountBetweenValues(2_990, 3_010)).isEqualTo(1);
    assertThat(ledger.rowsBeforeAck()).isEqualTo(rows.size());
  }

  @Test
  void rows_that_were_not_applied_are_not_waited_for() {
    List<RowChange> rows = rows(3);
    acknowledge(rows, 0, 2, MS);
    ledger.completed(
        rows.get(2), new RowResult(RowResult.Outcome.REJECTED, 1, -1, Optional.empty(), "no"), MS);
    ledger.arrived(input(FingerprintTest.delivered(rows.subList(0, 2))), 2 * MS);
    assertThat(ledger.compare().isClean()).isTrue();
    assertThat(ledger.compare().acknowledgedRows()).isEqualTo(2);
  }

  @Test
  void a_fault_in_any_partition_is_found() {
    List<RowChange> rows = rows(5);
    DemoLedger two = new DemoLedger(List.of(partition(1), partition(2)));
    for (int i = 0; i < 5; i++) {
      two.completed(rows.get(i), RowResult.applied(1 + i % 2, 1 + i / 2), MS);
    }
    List<RowChange> first = List.of(rows.get(0), rows.get(2), rows.get(4));
    two.arrived(input(FingerprintTest.delivered(first)), 2 * MS);
    LedgerCore.Findings found = two.compare();
    assertThat(found.missing()).isEqualTo(2);
    assertThat(found.examples()).isNotEmpty();
  }

  @Test
  void a_partition_of_another_table_is_a_fault_of_the_program() {
    assertThatThrownBy(() -> ledger.completed(rows(1).get(0), RowResult.applied(9, 1), 0))
        .hasMessageContaining("partition 9");
  }
}
