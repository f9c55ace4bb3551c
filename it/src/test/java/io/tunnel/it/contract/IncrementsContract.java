package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is true of columns that are added to. */
abstract class IncrementsContract extends Contract {

  @Test
  void increments_add_up_in_order_and_tell_the_result_and_what_was_added() throws Exception {
    TableInfo table = table();
    String name = table.meta().name();
    write(table, put(1, 40));
    BatchWriteResult result =
        tables()
            .tryWrite(
                name,
                List.of(
                    add(1, "v", 1),
                    add(1, "v", 1).onlyIf(Condition.parse("v = 41")),
                    add(1, "v", 100).onlyIf(Condition.parse("v = 41")),
                    add(2, "v", -7),
                    new RowUpdateChange(
                        key(1),
                        List.of(
                            new ColumnUpdate.Put("w", ColumnValue.fromString("x")),
                            new ColumnUpdate.Increment("n", 5)),
                        RowExistenceExpectation.EXPECT_EXIST)));
    assertThat(result.results())
        .extracting(RowResult::outcome)
        .containsExactly(
            Outcome.APPLIED, Outcome.APPLIED, Outcome.REJECTED, Outcome.APPLIED, Outcome.APPLIED);
    assertThat(value(name, 1)).isEqualTo(42);
    assertThat(value(name, 2)).isEqualTo(-7);
    assertThat(tables().getRow(name, key(1)).orElseThrow().value("n"))
        .hasValue(ColumnValue.fromLong(5));
    List<StreamRecord> changes = changes(table, result.results().get(4).position());
    assertThat(changes)
        .extracting(change -> change.getRecordType() + " " + change.getColumns())
        .containsExactly(
            "PUT [v=40]",
            "UPDATE [v=41 (+1)]",
            "UPDATE [v=42 (+1)]",
            "UPDATE [v=-7 (-7)]",
            "UPDATE [w=x, n=5 (+5)]");
    assertThat(changes.get(2).delta("v")).contains(1L);
    assertThat(changes.get(0).delta("v")).isEmpty();
    assertThat(changes.get(4).delta("w")).isEmpty();
  }

  @Test
  void an_increment_without_a_result_is_rejected_alone_and_changes_no_column() {
    TableInfo table = table();
    String name = table.meta().name();
    write(
        table,
        put(1, Long.MAX_VALUE),
        new RowPutChange(key(2), List.of(new Column("v", ColumnValue.fromDouble(1)))));
    List<RowResult> results =
        tables()
            .tryWrite(
                name,
                List.of(
                    new RowUpdateChange(
                        key(1),
                        List.of(
                            new ColumnUpdate.Increment("n", 1),
                            new ColumnUpdate.Increment("v", 1))),
                    add(2, "v", 1),
                    add(1, "v", Long.MIN_VALUE),
                    put(3, 3)))
            .results();
    assertThat(results)
        .extracting(RowResult::outcome)
        .containsExactly(Outcome.REJECTED, Outcome.REJECTED, Outcome.APPLIED, Outcome.APPLIED);
    assertThat(results.get(0).error()).contains(ErrorCode.INTEGER_OVERFLOW);
    assertThat(results.get(0).message()).contains("64 bits");
    assertThat(results.get(1).error()).contains(ErrorCode.NOT_AN_INTEGER);
    assertThat(tables().getRow(name, key(1)).orElseThrow().columns())
        .containsExactly(new Column("v", ColumnValue.fromLong(-1)));
    assertThat(tables().getRow(name, key(2)).orElseThrow().value("v"))
        .hasValue(ColumnValue.fromDouble(1));
  }

  private static RowUpdateChange add(long id, String column, long delta) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment(column, delta)));
  }

  private long value(String table, long id) {
    return tables().getRow(table, key(id)).orElseThrow().value("v").orElseThrow().asLong();
  }

  /** The changes of a table of one partition up to a position. */
  private List<StreamRecord> changes(TableInfo table, long last) throws InterruptedException {
    PartitionReader reader =
        closing(
            new PartitionReader(
                ClientConfig.of(endpoint()), table, PartitionReaderConfig.DEFAULTS));
    reader.start(ReadStart.changes(table.partitions().get(0).id(), 0).upTo(last));
    List<StreamRecord> changes = new ArrayList<>();
    for (PartitionRecords next = reader.poll(Duration.ofSeconds(60)).orElseThrow();
        !next.isEnd();
        next = reader.poll(Duration.ofSeconds(60)).orElseThrow()) {
      changes.addAll(next.records());
      next.release();
    }
    return changes;
  }
}
