package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.ColumnState;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A processor is tested with inputs that a test makes. */
class InputBuilderTest {

  private static final PrimaryKey ADA = PrimaryKey.builder().add("id", 7).build();
  private static final RowPutChange PUT =
      new RowPutChange(ADA, List.of(new Column("name", ColumnValue.fromString("Ada"))));

  @Test
  void a_processor_sees_what_a_worker_would_give_it() {
    List<StreamRecord> seen = new ArrayList<>();
    IChannelProcessor processor = IChannelProcessor.of(input -> seen.addAll(input.getRecords()));
    processor.process(
        InputBuilder.input()
            .partition(3)
            .firstPosition(40)
            .commitMicros(1_000)
            .add(PUT)
            .add(new RowUpdateChange(ADA, List.of(new ColumnUpdate.Delete("name"))))
            .add(new RowDeleteChange(ADA))
            .build());
    assertThat(seen)
        .extracting(StreamRecord::getRecordType)
        .containsExactly(RecordType.PUT, RecordType.UPDATE, RecordType.DELETE);
    assertThat(seen).extracting(StreamRecord::position).containsExactly(40L, 41L, 42L);
    assertThat(seen.get(0).getPrimaryKey()).isEqualTo(ADA);
    assertThat(seen.get(0).value("name").orElseThrow().asString()).isEqualTo("Ada");
    assertThat(seen.get(0).partition()).isEqualTo(3);
    assertThat(seen.get(0).commitMicros()).isEqualTo(1_000);
    assertThat(seen.get(1).columnState("name")).isEqualTo(ColumnState.REMOVED);
  }

  @Test
  void an_input_has_a_token_unless_it_is_the_last() {
    ProcessRecordsInput more = InputBuilder.input().firstPosition(5).add(PUT).build();
    assertThat(more.getNextToken()).isEqualTo("5");
    assertThat(more.channelType()).isEqualTo(ChannelType.Stream);
    assertThat(more.byteCount()).isPositive();
    ProcessRecordsInput last =
        InputBuilder.input().channel("1_base").ofBaseData().add(PUT).last().build();
    assertThat(last.getNextToken()).isNull();
    assertThat(last.channelType()).isEqualTo(ChannelType.BaseData);
    assertThat(last.getPartitionId()).isEqualTo("1");
  }

  @Test
  void an_input_without_changes_and_one_of_two_tables_are_refused() {
    InputBuilder empty = InputBuilder.input();
    assertThatThrownBy(empty::build).isInstanceOf(IllegalStateException.class);
    PrimaryKey other = PrimaryKey.builder().add("id", "seven").build();
    InputBuilder mixed = InputBuilder.input().add(PUT).add(new RowDeleteChange(other));
    assertThatThrownBy(mixed::build).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void an_increment_is_delivered_as_its_result_with_what_was_added() {
    var record =
        InputBuilder.input()
            .add(
                new RowUpdateChange(
                    ADA,
                    List.of(
                        new ColumnUpdate.Delete("name"), new ColumnUpdate.Increment("age", -3))))
            .build()
            .getRecords()
            .get(0);
    assertThat(record.value("age")).hasValue(ColumnValue.fromLong(-3));
    assertThat(record.delta("age")).contains(-3L);
    assertThat(record.delta("name")).isEmpty();
    assertThat(record.delta("nobody")).isEmpty();
    assertThat(record.getColumns())
        .containsExactly(
            RecordColumn.deleted("name"),
            RecordColumn.added(new Column("age", ColumnValue.fromLong(-3)), -3));
    assertThat(record).hasToString("0 UPDATE " + ADA + " [-name, age=-3 (-3)]");
  }
}
