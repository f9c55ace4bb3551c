package io.tunnel.cli.tail;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MergeCoreTest {

  private final List<String> given = new ArrayList<>();
  private int released;

  @Test
  void nothing_is_given_while_an_earlier_change_may_come() {
    MergeCore merge = new MergeCore(List.of(1, 2));
    merge.add(records(1, 10, 30));
    drain(merge);
    assertThat(given).isEmpty();
    merge.add(records(2, 20));
    drain(merge);
    assertThat(given).containsExactly("1@10", "2@20");
    assertThat(merge.isDone()).isFalse();
    merge.add(end(2));
    drain(merge);
    assertThat(given).containsExactly("1@10", "2@20", "1@30");
    assertThat(released).isEqualTo(3);
    merge.add(end(1));
    assertThat(merge.isDone()).isTrue();
  }

  @Test
  void an_end_behind_changes_lets_them_be_given_first() {
    MergeCore merge = new MergeCore(List.of(1, 2));
    merge.add(records(2, 5, 5));
    merge.add(end(2));
    merge.add(records(1, 5));
    merge.add(records(1, 5, 6));
    merge.add(end(1));
    drain(merge);
    assertThat(given).containsExactly("1@5", "1@5", "2@5", "2@5", "1@6");
    assertThat(merge.isDone()).isTrue();
    assertThat(released).isEqualTo(5);
  }

  @Test
  void without_partitions_it_is_done_at_once() {
    assertThat(new MergeCore(List.of()).isDone()).isTrue();
    assertThat(new MergeCore(List.of()).next()).isEmpty();
  }

  private void drain(MergeCore merge) {
    for (Optional<StreamRecord> next = merge.next(); next.isPresent(); next = merge.next()) {
      given.add(next.get().partition() + "@" + next.get().commitMicros());
    }
  }

  private PartitionRecords end(int partition) {
    return new PartitionRecords(
        ReadStart.changes(partition, 0), List.of(), true, 0, SeenIn.NOTHING, () -> released++);
  }

  private PartitionRecords records(int partition, long... commitMicros) {
    List<PrimaryKeySchema> schema = List.of(new PrimaryKeySchema("k", PrimaryKeyType.INTEGER));
    List<StreamRecord> records = new ArrayList<>();
    for (long micros : commitMicros) {
      BatchBuilder builder = new BatchBuilder(schema, 1_000);
      builder.add(new RowDeleteChange(PrimaryKey.builder().add("k", 1).build()));
      byte[] bytes = builder.build(partition, 1, micros);
      ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
      var rows = batch.rows();
      rows.next();
      records.add(new StreamRecord(batch, rows.rowOffset(), 1, schema));
    }
    return new PartitionRecords(
        ReadStart.changes(partition, 0), records, false, 9, SeenIn.NOTHING, () -> released++);
  }
}
