package io.tunnel.sdk.worker.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.Delivery;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class DeliveredRecordsTest {

  private static ChangeBatch batch(long first, long last) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 64);
    for (long id = first; id <= last; id++) {
      builder.add(new RowPutChange(PrimaryKey.builder().add("id", id).build(), List.of()));
    }
    byte[] bytes = builder.build(0, first, 1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static List<Long> positions(long from, ChangeBatch... batches) {
    Delivery delivery = new Delivery(0, 1, from, List.of(batches));
    DeliveredRecords records =
        new DeliveredRecords(List.of(delivery), FakeTable.meta().primaryKey());
    assertThat(DeliveredRecords.rowsOf(delivery)).isEqualTo(records.size());
    List<Long> walked = walk(records);
    List<Long> indexed = records.stream().map(StreamRecord::position).toList();
    assertThat(walked).isEqualTo(indexed);
    return indexed;
  }

  /** Reads by an iterator; the first iterator makes the records. */
  private static List<Long> walk(List<StreamRecord> records) {
    List<Long> positions = new ArrayList<>();
    for (StreamRecord record : records) {
      assertThat(record.getPrimaryKey().getPrimaryKeyColumn("id").getValue().asLong())
          .isEqualTo(record.position());
      positions.add(record.position());
    }
    return positions;
  }

  private static DeliveredRecords of(Delivery... deliveries) {
    return new DeliveredRecords(List.of(deliveries), FakeTable.meta().primaryKey());
  }

  @Test
  void rows_before_the_first_position_are_left_out() {
    assertThat(positions(5, batch(4, 6), batch(7, 8))).containsExactly(5L, 6L, 7L, 8L);
  }

  @Test
  void positions_that_are_no_changes_lie_before_and_between_batches() {
    assertThat(positions(3, batch(4, 5), batch(8, 8))).containsExactly(4L, 5L, 8L);
  }

  @Test
  void a_batch_that_lies_before_the_first_position_has_no_place_in_a_delivery() {
    ChangeBatch early = batch(4, 6);
    assertThatThrownBy(() -> positions(7, early))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a delivery from position 7 begins with a batch of positions 4 to 6");
  }

  @Test
  void batches_without_rows_have_no_records() {
    ChangeBatch empty = batch(1, 0);
    Delivery first = new Delivery(0, 1, 1, List.of(batch(1, 2), empty));
    Delivery second = new Delivery(0, 1, 4, List.of(batch(3, 4), empty, batch(5, 5)));
    assertThat(walk(of(first, second))).containsExactly(1L, 2L, 4L, 5L);
  }

  @Test
  void a_record_is_one_object_once_all_were_walked_over() {
    DeliveredRecords records = of(new Delivery(0, 1, 1, List.of(batch(1, 3))));
    List<StreamRecord> walked = new ArrayList<>();
    records.forEach(walked::add);
    for (int i = 0; i < 3; i++) {
      assertThat(records.get(i)).isSameAs(walked.get(i));
    }
    assertThat(records.iterator().next()).isSameAs(walked.get(0));
  }

  @Test
  void a_record_may_be_asked_for_by_index_amid_a_walk() {
    DeliveredRecords records = of(new Delivery(0, 1, 1, List.of(batch(1, 3))));
    Iterator<StreamRecord> walk = records.iterator();
    assertThat(walk.next().position()).isEqualTo(1);
    assertThat(records.get(2).position()).isEqualTo(3);
    assertThat(walk.next().position()).isEqualTo(2);
    assertThat(walk.next().position()).isEqualTo(3);
    assertThat(walk.hasNext()).isFalse();
    assertThatThrownBy(walk::next).isInstanceOf(NoSuchElementException.class);
  }
}
