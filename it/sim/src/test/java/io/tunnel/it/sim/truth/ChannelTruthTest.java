package io.tunnel.it.sim.truth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a channel's judge lets pass, and what not. */
class ChannelTruthTest {

  private static final int PARTITION = 1;
  private static final int HANDLE = 1;
  private static final int BYTES = 1_000;

  private final TunnelTruth tunnel =
      new TunnelTruth(
          new TunnelInfo("t1", "tunnel", "orders", TunnelType.BaseData, StreamStart.EARLIEST, 1));
  private final ChannelTruth channel =
      new ChannelTruth("1_t1_base", tunnel, new PartitionTruth(PARTITION), true, 0);

  private Holding assigned(long epoch, long checkpointed) {
    Holding holding =
        channel.assigned(
            new Assignment(
                "session-" + epoch,
                channel.channelId,
                PARTITION,
                HANDLE,
                epoch,
                checkpointed,
                ChannelType.BaseData),
            null,
            1);
    holding.creditReceived(100 * BYTES);
    return holding;
  }

  private static void deliver(Holding holding, long first, long last) {
    BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, BYTES);
    LongStream.rangeClosed(first, last)
        .mapToObj(id -> PrimaryKey.builder().add("id", id).build())
        .map(key -> new RowPutChange(key, List.of(new Column("v", ColumnValue.fromLong(1)))))
        .forEach(builder::add);
    byte[] batch = builder.build(PARTITION, first, 1);
    var unused =
        holding.deliver(
            new Delivery(
                HANDLE, holding.epoch(), first, List.of(ChangeBatch.parse(batch, 0, batch.length))),
            BYTES);
  }

  private void process(Holding holding, long first, long last) {
    holding.begin(first, last);
    var unused = channel.finished(holding, holding.finish());
  }

  /** One who has deliveries 1 to 3 and 4 to 6, and has processed the rows up to {@code last}. */
  private Holding firstHolder(long last) {
    Holding first = assigned(1, 0);
    deliver(first, 1, 3);
    deliver(first, 4, 6);
    process(first, 1, 3);
    process(first, 4, last);
    first.isGivenBack = true;
    return first;
  }

  @Test
  void rows_of_a_delivery_that_was_not_finished_come_again_after_a_graceful_move() {
    var unused = firstHolder(5);
    Holding second = assigned(2, 3);
    deliver(second, 4, 6);
    assertThatCode(() -> process(second, 4, 6)).doesNotThrowAnyException();
  }

  @Test
  void rows_of_a_delivery_that_was_finished_do_not() {
    var unused = firstHolder(6);
    Holding second = assigned(2, 3);
    deliver(second, 4, 6);
    assertThatThrownBy(() -> process(second, 4, 6))
        .hasMessageContaining("had processed and not lost for any reason");
  }

  @Test
  void what_a_policy_left_out_at_its_end_finishes_a_delivery() {
    firstHolder(5).skip(6);
    Holding second = assigned(2, 3);
    deliver(second, 4, 6);
    assertThatThrownBy(() -> process(second, 4, 6))
        .hasMessageContaining("had processed and not lost for any reason");
  }

  @Test
  void rows_of_the_delivery_before_do_not_come_again() {
    var unused = firstHolder(5);
    Holding second = assigned(2, 2);
    deliver(second, 3, 6);
    assertThatThrownBy(() -> process(second, 3, 6)).hasMessageContaining("processed 3, which");
  }

  @Test
  void a_deadline_begins_when_the_server_wants_a_channel_back_though_its_word_leaves_later() {
    channel.seen(7, "session-7", false, 1_000);
    channel.seen(7, "session-7", true, 2_000);
    channel.seen(7, "session-7", true, 3_000);
    assertThat(assigned(7, 0).closingNanos).isEqualTo(2_000);
  }

  @Test
  void a_deadline_of_a_former_holder_is_not_the_next_ones() {
    channel.seen(7, "session-7", true, 2_000);
    channel.seen(8, "session-8", false, 3_000);
    assertThat(assigned(8, 0).closingNanos).isNegative();
  }

  @Test
  void changes_that_are_counted_as_left_out_and_not_named_must_have_been_left_out() {
    Holding holding = assigned(1, 0);
    deliver(holding, 1, 200);
    LongStream.rangeClosed(1, 150).forEach(holding::skip);
    LongStream.rangeClosed(51, 150).forEach(channel::skipped);
    tunnel.skipped(LongStream.rangeClosed(51, 150).boxed().toList());
    channel.checkpointed(150, holding);
    assertThatThrownBy(() -> channel.checkpointed(151, holding))
        .hasMessageContaining("no processor has finished 151");
  }

  @Test
  void a_change_that_is_left_out_and_neither_named_nor_counted_is_missed() {
    Holding holding = assigned(1, 0);
    deliver(holding, 1, 150);
    LongStream.rangeClosed(1, 150).forEach(holding::skip);
    LongStream.rangeClosed(51, 150).forEach(channel::skipped);
    tunnel.skipped(LongStream.rangeClosed(50, 149).boxed().toList());
    assertThatThrownBy(() -> channel.checkpointed(150, holding))
        .hasMessageContaining("no processor has finished 50");
  }

  @Test
  void fewer_than_are_kept_by_name_are_all_named() {
    assertThatThrownBy(() -> tunnel.skipped(List.of(2L, 3L)))
        .hasMessageContaining("only [2, 3] are named");
  }
}
