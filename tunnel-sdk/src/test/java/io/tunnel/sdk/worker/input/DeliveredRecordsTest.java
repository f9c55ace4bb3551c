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
import java.util.List;
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
    return records.stream().map(StreamRecord::position).toList();
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
}
