package io.tunnel.sdk.worker.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.ProcessRecordsInput.Extent;
import io.tunnel.sdk.worker.channel.ChannelLimits;
import io.tunnel.sdk.worker.input.Inputs.Unit;
import io.tunnel.wire.Delivery;
import java.util.List;
import org.junit.jupiter.api.Test;

class InputsTest {

  private static ChangeBatch batch(boolean isAtomic, long first, long last) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 64);
    if (isAtomic) {
      builder.setAttributes(Attributes.atomic(Bytes.EMPTY));
    }
    for (long id = first; id <= last; id++) {
      builder.add(new RowPutChange(PrimaryKey.builder().add("id", id).build(), List.of()));
    }
    byte[] bytes = builder.build(0, first, 1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  /** Changes 1, 2 to 6 as an atomic batch, and 7 to 9. */
  private static ProcessRecordsInput input(long from) {
    List<ChangeBatch> batches = List.of(batch(false, 1, 1), batch(true, 2, 6), batch(false, 7, 9));
    Delivery delivery =
        new Delivery(0, 1, from, from == 1 ? batches : batches.subList(1, batches.size()));
    DeliveredRecords records =
        new DeliveredRecords(List.of(delivery), FakeTable.meta().primaryKey());
    Extent extent = new Extent(1, 1, records.byteCount());
    return new ProcessRecordsInput(records, "9", "trace", "channel", extent, ChannelType.Stream);
  }

  @Test
  void a_part_ends_in_front_of_an_atomic_batch_or_behind_it() {
    assertThat(Inputs.partEnds(input(1), new ChannelLimits(3, 1 << 20, 0)))
        .containsExactly(1, 6, 9);
    assertThat(Inputs.partEnds(input(1), new ChannelLimits(6, 1 << 20, 0))).containsExactly(6, 9);
    assertThat(Inputs.partEnds(input(1), new ChannelLimits(100, 1, 0)))
        .containsExactly(1, 6, 7, 8, 9);
  }

  @Test
  void an_atomic_batch_is_a_unit_also_where_progress_was_inside_of_it() {
    ProcessRecordsInput resumed = input(4);
    assertThat(resumed.getRecords().get(0).position()).isEqualTo(2);
    assertThat(Inputs.unit(resumed.getRecords(), 3)).isEqualTo(new Unit(0, 5));
    assertThat(Inputs.unit(resumed.getRecords(), 5)).isEqualTo(new Unit(5, 6));
  }
}
