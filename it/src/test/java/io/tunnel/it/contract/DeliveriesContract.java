package io.tunnel.it.contract;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.it.process.RawClient;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Returning;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SkippedChange;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What is true of deliveries and their credit, seen on the wire, where the server of a session
 * delivers its channels too.
 */
abstract class DeliveriesContract extends WireContract {

  @Test
  void without_credit_nothing_is_delivered_and_other_channels_go_on() {
    TableInfo table = table(10);
    RawClient raw = raw();
    String tunnelId = stream(table, "audit");
    Assignment starved = opened(raw, tunnelId);
    Assignment fed = assigned(raw);
    write(table, put(1, 1), put(11, 1));
    credit(raw, fed, PLENTY);
    assertThat(delivered(raw).handle()).isEqualTo(raw.deliveries(fed));
    raw.requireOpen();
    assertThat(raw.takePushed()).isEmpty();
    assertThat(channel(table, starved).delivered()).isZero();
  }

  @Test
  void credit_of_a_byte_is_a_delivery_and_the_next_one_waits_until_it_is_made_good() {
    TableInfo table = table();
    RawClient raw = raw();
    writeEach(table, 1, 2);
    Assignment held = opened(raw, stream(table, "audit"));
    credit(raw, held, 1);
    Delivery first = delivered(raw);
    assertThat(first.firstPosition()).isEqualTo(1);
    long last = first.batches().get(first.batches().size() - 1).lastPosition();
    assertThat(last).isEqualTo(1);
    credit(raw, held, 1);
    raw.requireOpen();
    assertThat(raw.takePushed()).isEmpty();
    credit(raw, held, PLENTY / 2);
    assertThat(delivered(raw).firstPosition()).isEqualTo(2);
  }

  @Test
  void checkpoints_go_neither_back_nor_beyond_what_was_delivered() {
    subject().expectMisconduct();
    TableInfo table = table();
    RawClient raw = raw();
    writeEach(table, 1, 3);
    Assignment held = opened(raw, stream(table, "audit"));
    assertThat(raw.deliveries(held)).isPositive();
    assertThat(refused(raw, held, 1)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    credit(raw, held, PLENTY);
    awaitDelivered(raw, 3);
    checkpointed(raw, held, 2);
    assertThat(refused(raw, held, 1)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(refused(raw, held, 4)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    checkpointed(raw, held, 2);
    assertThat(channel(table, held).checkpointed()).isEqualTo(2);
  }

  @Test
  void
      changes_that_a_checkpoint_passes_and_that_were_left_out_are_kept_once_and_the_last_hundred() {
    TableInfo table = table();
    RawClient raw = raw();
    writeEach(table, 1, 120);
    Assignment held = opened(raw, stream(table, "audit"));
    credit(raw, held, PLENTY);
    awaitDelivered(raw, 120);
    skipped(raw, held, 5, 2, 5);
    DescribeTunnelResponse described = described(table);
    assertThat(described.skippedCount()).isEqualTo(2);
    SkippedChange first = described.skipped().get(0);
    assertThat(first.partition()).isEqualTo(held.partition());
    assertThat(first.position()).isEqualTo(2);
    assertThat(first.key()).isEqualTo(key(2));
    assertThat(first.error()).isEqualTo("row 2 is odd");
    assertThat(first.skippedMs()).isLessThanOrEqualTo(subject().nowMs());
    assertThat(channel(table, held).checkpointed()).isEqualTo(5);
    // As a worker that was not answered says it again, with more.
    skipped(raw, held, 9, 2, 5, 9);
    skipped(raw, held, 9, 2, 5, 9);
    assertThat(described(table).skippedCount()).isEqualTo(3);
    skipped(raw, held, 120, LongStream.rangeClosed(10, 120).toArray());
    assertThat(described(table).skippedCount()).isEqualTo(114);
    assertThat(described(table).skipped())
        .extracting(SkippedChange::position)
        .isEqualTo(LongStream.rangeClosed(21, 120).boxed().toList());
  }

  @Test
  void who_does_not_hold_the_channel_cannot_say_what_was_left_out() {
    subject().expectMisconduct();
    TableInfo table = table();
    RawClient raw = raw();
    writeEach(table, 1, 3);
    Assignment held = opened(raw, stream(table, "audit"));
    credit(raw, held, PLENTY);
    awaitDelivered(raw, 3);
    byte[] stale = Json.encode(skipping(held.handle(), held.epoch() - 1, 3, 2));
    assertThat(raw.refused(Operation.CHECKPOINT_SKIPPING, stale).code())
        .isEqualTo(ErrorCode.FENCED);
    byte[] beyond = Json.encode(skipping(held.handle(), held.epoch(), 4, 4));
    assertThat(raw.refused(Operation.CHECKPOINT_SKIPPING, beyond).code())
        .isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(described(table).skipped()).isEmpty();
    assertThat(channel(table, held).checkpointed()).isZero();
  }

  private static void skipped(RawClient raw, Assignment held, long position, long... left) {
    byte[] request = Json.encode(skipping(held.handle(), held.epoch(), position, left));
    assertThat(raw.request(Operation.CHECKPOINT_SKIPPING, request)).isEmpty();
  }

  private static Control skipping(int handle, long epoch, long position, long... left) {
    return new FailureControl.SkippingCheckpoint(
        handle,
        epoch,
        position,
        Bytes.EMPTY,
        Arrays.stream(left)
            .mapToObj(at -> new FailureControl.Skip(at, key(at), "row " + at + " is odd"))
            .toList());
  }

  private DescribeTunnelResponse described(TableInfo table) {
    return tunnels().describeTunnel(new DescribeTunnelRequest(table.meta().name(), "audit"));
  }

  private static void awaitDelivered(RawClient raw, long position) {
    long last = 0;
    while (last < position) {
      Delivery delivery = delivered(raw);
      assertThat(delivery.firstPosition()).isEqualTo(last + 1);
      last = delivery.batches().get(delivery.batches().size() - 1).lastPosition();
    }
  }

  @Test
  void the_next_holder_starts_behind_the_checkpoint_even_inside_a_batch() {
    TableInfo table = table();
    String tunnelId = stream(table, "audit");
    write(table, put(1, 1), put(2, 2), put(3, 3));
    RawClient first = raw();
    Assignment held = opened(first, tunnelId);
    credit(first, held, PLENTY);
    awaitDelivered(first, 3);
    checkpointed(first, held, 2);
    first.close();
    RawClient second = raw();
    Assignment next = opened(second, tunnelId);
    assertThat(next.checkpointed()).isEqualTo(2);
    assertThat(next.epoch()).isGreaterThan(held.epoch());
    credit(second, next, PLENTY);
    assertThat(delivered(second).firstPosition()).isEqualTo(3);
  }

  @Test
  void changes_come_each_once_in_the_order_of_their_positions_and_only_while_there_is_credit() {
    TableInfo table = table();
    RawClient raw = raw();
    Assignment held = opened(raw, stream(table, "audit"));
    for (int i = 0; i < 30; i++) {
      write(table, put(i % 3, 3L * i + 1), put(i % 3, 3L * i + 2), put(i % 5, 3L * i + 3));
    }
    long open = 0;
    long last = 0;
    long micros = 0;
    while (last < 90) {
      for (; open <= 0; open += 100) {
        credit(raw, held, 100);
      }
      Frame frame = raw.awaitPush(Operation.DELIVER);
      Delivery delivery = Delivery.decode(frame.payload());
      open -= frame.payload().length;
      assertThat(delivery.epoch()).isEqualTo(held.epoch());
      assertThat(delivery.firstPosition()).isEqualTo(last + 1);
      for (ChangeBatch batch : delivery.batches()) {
        assertThat(batch.commitMicros()).isGreaterThanOrEqualTo(micros);
        micros = batch.commitMicros();
        for (RowCursor row = batch.rows(); row.next(); ) {
          last++;
          StreamRecord record =
              new StreamRecord(batch, row.rowOffset(), last, table.meta().primaryKey());
          assertThat(record.value("v").orElseThrow().asLong()).isEqualTo(last);
        }
      }
      if (open <= 0) {
        raw.requireOpen();
        assertThat(raw.takePushed()).as("with a credit of %d", open).isEmpty();
      }
    }
  }

  @Test
  void a_consumer_gets_nothing_of_what_writers_are_answered() {
    TableInfo table = table();
    String secret = "for readers of rows";
    write(
        table, new RowPutChange(key(1), List.of(new Column("t", ColumnValue.fromString(secret)))));
    RawClient raw = raw();
    Assignment held = opened(raw, stream(table, "audit"));
    RowPutChange refused =
        new RowPutChange(key(1), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
    List<RowResult> results =
        tables()
            .tryWrite(
                table.meta().name(), List.of(refused.returning(Returning.columns("t")), put(2, 2)))
            .results();
    assertThat(results.get(0).returned().row().orElseThrow().value("t").orElseThrow().asString())
        .isEqualTo(secret);
    credit(raw, held, PLENTY);
    // The first change wrote the secret.
    List<ChangeBatch> batches = delivered(raw).batches();
    while (batches.get(batches.size() - 1).lastPosition() < 2) {
      batches = delivered(raw).batches();
    }
    ChangeBatch batch = batches.get(batches.size() - 1);
    assertThat(new String(batch.array(), batch.offset(), batch.byteCount(), ISO_8859_1))
        .doesNotContain(secret);
    assertThat(batch.attributes()).as("who wrote the rows").isEqualTo(Bytes.EMPTY);
    RowCursor row = batch.rows();
    assertThat(row.next()).isTrue();
    assertThat(row.attributes()).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void what_is_said_under_a_former_epoch_counts_for_nothing() {
    subject().expectMisconduct();
    TableInfo table = table();
    RawClient raw = raw();
    writeEach(table, 1, 3);
    Assignment former = opened(raw, stream(table, "audit"));
    credit(raw, former, PLENTY / 2);
    awaitDelivered(raw, 3);
    checkpointed(raw, former, 3);
    SeekTunnelRequest back = SeekTunnelRequest.toEarliest(table.meta().name(), "audit");
    assertThat(tunnels().seekTunnel(back).moves()).hasSize(1);
    SessionControl.Fence fence =
        Json.decode(raw.awaitPush(Operation.FENCE).payload(), SessionControl.Fence.class);
    assertThat(fence.epoch()).isEqualTo(former.epoch());
    Assignment held = assigned(raw);
    assertThat(held.channelId()).isEqualTo(former.channelId());
    assertThat(held.epoch()).isGreaterThan(former.epoch());
    assertThat(held.checkpointed()).isZero();
    credit(raw, former, PLENTY / 2);
    assertThat(refused(raw, former, 3)).isEqualTo(ErrorCode.FENCED);
    byte[] ref = new ChannelRef(former.handle(), former.epoch()).encode();
    assertThat(raw.refused(Operation.RELEASE, ref).code()).isEqualTo(ErrorCode.FENCED);
    Control stop = new SessionControl.StopChannel(former.handle(), former.epoch(), "too late");
    assertThat(raw.refused(Operation.STOP_CHANNEL, stop).code()).isEqualTo(ErrorCode.FENCED);
    raw.requireOpen();
    assertThat(raw.takePushed()).as("deliveries for a former epoch's credit").isEmpty();
    assertThat(channel(table, held).checkpointed()).isZero();
    assertThat(channel(table, held).error()).isEmpty();
    credit(raw, held, PLENTY / 2);
    awaitDelivered(raw, 3);
  }

  @Test
  void nothing_is_delivered_any_more_when_a_channel_was_asked_for() {
    subject().expectMisconduct();
    TableInfo table = table(10);
    String tunnelId = stream(table, "audit");
    RawClient first = raw();
    Assignment one = opened(first, tunnelId);
    Assignment two = assigned(first);
    credit(first, one, PLENTY / 2);
    credit(first, two, PLENTY / 2);
    var unused = open(raw(), tunnelId, LEASE_MS, 0);
    SessionControl.Revocation asked =
        Json.decode(first.awaitPush(Operation.REVOKE).payload(), SessionControl.Revocation.class);
    Assignment staying = asked.handle() == one.handle() ? two : one;
    write(table, put(1, 1), put(11, 1));
    assertThat(delivered(first).handle()).isEqualTo(first.deliveries(staying));
    credit(first, asked.handle() == one.handle() ? one : two, PLENTY / 2);
    first.requireOpen();
    assertThat(first.takePushed()).isEmpty();
  }

  @Test
  void a_session_that_is_closed_hands_its_channels_on_at_their_checkpoints() {
    TableInfo table = table();
    String tunnelId = stream(table, "audit");
    writeEach(table, 1, 3);
    RawClient first = raw();
    String sessionId = open(first, tunnelId, LEASE_MS, 0);
    Assignment held = assigned(first);
    credit(first, held, PLENTY);
    awaitDelivered(first, 3);
    checkpointed(first, held, 2);
    assertThat(
            first.request(
                Operation.CLOSE_SESSION, Json.encode(new SessionControl.SessionId(sessionId))))
        .isEmpty();
    RawClient second = raw();
    Assignment next = opened(second, tunnelId);
    assertThat(next.checkpointed()).isEqualTo(2);
    assertThat(next.epoch()).isGreaterThan(held.epoch());
    first.requireOpen();
    assertThat(first.takePushed()).isEmpty();
  }
}
