package io.tunnel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.ChannelInfo;
import io.tunnel.sdk.SeekTunnelRequest;
import io.tunnel.sdk.StreamRecord;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.SessionControl;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.SessionOpened;
import org.junit.jupiter.api.Test;

/** What is true of sessions, credit, epochs and checkpoints, seen on the wire. */
abstract class SessionsContract extends Contract {

  private static final int PLENTY = 1 << 20;
  private static final long LEASE_MS = 30_000;

  private static String open(RawClient raw, String tunnelId, long leaseMs, int channelsMax) {
    return raw.request(
            Operation.OPEN_SESSION,
            new SessionControl.OpenSession(tunnelId, "raw", leaseMs, channelsMax),
            SessionOpened.class)
        .sessionId();
  }

  private static Assignment opened(RawClient raw, String tunnelId) {
    var unused = open(raw, tunnelId, LEASE_MS, 0);
    return assigned(raw);
  }

  private static Assignment assigned(RawClient raw) {
    return Json.decode(raw.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
  }

  private static void credit(RawClient raw, Assignment held, int bytes) {
    raw.push(Operation.CREDIT, new Credit(held.handle(), held.epoch(), bytes).encode());
  }

  private static Delivery delivered(RawClient raw) {
    return Delivery.decode(raw.awaitPush(Operation.DELIVER).payload());
  }

  private static byte[] checkpoint(Assignment held, long position) {
    return new Checkpoint(held.handle(), held.epoch(), position).encode();
  }

  private static void checkpointed(RawClient raw, Assignment held, long position) {
    assertThat(raw.request(Operation.CHECKPOINT, checkpoint(held, position))).isEmpty();
  }

  private static ErrorCode refused(RawClient raw, Assignment held, long position) {
    return raw.refused(Operation.CHECKPOINT, checkpoint(held, position)).code();
  }

  @Test
  void a_channel_is_named_after_its_partition_and_its_tunnel() {
    TableDescription table = table();
    String tunnelId = stream(table, "audit");
    Assignment held = opened(raw(), tunnelId);
    assertThat(held.channelId()).isEqualTo(held.partition() + "_" + tunnelId);
    assertThat(held.partition()).isEqualTo(table.partitions().get(0).id());
    assertThat(held.checkpointed()).isZero();
    ChannelInfo channel = channels(table, "audit").now().get(0);
    assertThat(channel.getChannelId()).isEqualTo(held.channelId());
    assertThat(channel.epoch()).isEqualTo(held.epoch());
    assertThat(channel.clientTag()).contains("raw");
  }

  @Test
  void an_unknown_tunnel_has_no_sessions() {
    RawClient raw = raw();
    assertThat(
            raw.refused(
                    Operation.OPEN_SESSION,
                    new SessionControl.OpenSession("nowhere", "raw", LEASE_MS, 0))
                .code())
        .isEqualTo(ErrorCode.TUNNEL_NOT_FOUND);
  }

  @Test
  void without_credit_nothing_is_delivered_and_other_channels_go_on() {
    TableDescription table = table(10);
    RawClient raw = raw();
    String tunnelId = stream(table, "audit");
    Assignment starved = opened(raw, tunnelId);
    Assignment fed = assigned(raw);
    write(table, put(1, 1), put(11, 1));
    credit(raw, fed, PLENTY);
    assertThat(delivered(raw).handle()).isEqualTo(fed.handle());
    raw.requireOpen();
    assertThat(raw.takePushed()).isEmpty();
    assertThat(channel(table, starved).delivered()).isZero();
  }

  @Test
  void credit_of_a_byte_is_a_delivery_and_the_next_one_waits_until_it_is_made_good() {
    TableDescription table = table();
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
    TableDescription table = table();
    RawClient raw = raw();
    writeEach(table, 1, 3);
    Assignment held = opened(raw, stream(table, "audit"));
    assertThat(refused(raw, held, 1)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    credit(raw, held, PLENTY);
    awaitDelivered(raw, 3);
    checkpointed(raw, held, 2);
    assertThat(refused(raw, held, 1)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(refused(raw, held, 4)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    checkpointed(raw, held, 2);
    assertThat(channel(table, held).checkpointed()).isEqualTo(2);
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
    TableDescription table = table();
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
  void a_channel_moves_when_it_is_released_and_its_former_holder_is_fenced() {
    subject().expectMisconduct();
    TableDescription table = table(10);
    String tunnelId = stream(table, "audit");
    RawClient first = raw();
    Assignment one = opened(first, tunnelId);
    Assignment two = assigned(first);
    RawClient second = raw();
    var unused = open(second, tunnelId, LEASE_MS, 0);
    SessionControl.Revocation asked =
        Json.decode(first.awaitPush(Operation.REVOKE).payload(), SessionControl.Revocation.class);
    Assignment moving = asked.handle() == one.handle() ? one : two;
    assertThat(asked.epoch()).isEqualTo(moving.epoch());
    assertThat(channel(table, moving).getChannelStatus()).isEqualTo(ChannelStatus.CLOSING);
    checkpointed(first, moving, 0);
    byte[] ref = new ChannelRef(moving.handle(), moving.epoch()).encode();
    assertThat(first.request(Operation.RELEASE, ref)).isEmpty();
    Assignment moved = assigned(second);
    assertThat(moved.channelId()).isEqualTo(moving.channelId());
    assertThat(moved.epoch()).isGreaterThan(moving.epoch());
    assertThat(refused(first, moving, 0)).isEqualTo(ErrorCode.FENCED);
    assertThat(first.refused(Operation.RELEASE, ref).code()).isEqualTo(ErrorCode.FENCED);
  }

  @Test
  void a_connection_that_closes_frees_its_channels_at_once() {
    TableDescription table = table(10);
    String tunnelId = stream(table, "audit");
    RawClient first = raw();
    var one = opened(first, tunnelId);
    var two = assigned(first);
    first.close();
    RawClient second = raw();
    Assignment next = opened(second, tunnelId);
    assertThat(assigned(second).epoch()).isGreaterThan(one.epoch());
    assertThat(next.epoch()).isGreaterThan(two.epoch());
  }

  @Test
  void a_session_whose_lease_ends_loses_its_channels_and_is_told_so() {
    TableDescription table = table();
    String tunnelId = stream(table, "audit");
    RawClient silent = raw();
    String sessionId = open(silent, tunnelId, 1_000, 0);
    Assignment held = assigned(silent);
    subject().letLeaseEnd();
    SessionControl.SessionEnd end =
        Json.decode(
            silent.awaitPush(Operation.SESSION_END).payload(), SessionControl.SessionEnd.class);
    assertThat(end.sessionId()).isEqualTo(sessionId);
    assertThat(end.code()).isEqualTo(ErrorCode.SESSION_ENDED);
    assertThat(silent.refused(Operation.HEARTBEAT, new SessionControl.SessionId(sessionId)).code())
        .isEqualTo(ErrorCode.SESSION_ENDED);
    assertThat(refused(silent, held, 0)).isIn(ErrorCode.FENCED, ErrorCode.SESSION_ENDED);
    assertThat(opened(raw(), tunnelId).epoch()).isGreaterThan(held.epoch());
  }

  @Test
  void a_session_takes_no_more_channels_than_it_wants() {
    TableDescription table = table(10, 20);
    String tunnelId = stream(table, "audit");
    RawClient small = raw();
    var unused = open(small, tunnelId, LEASE_MS, 1);
    var one = assigned(small);
    small.requireOpen();
    assertThat(small.takePushed()).isEmpty();
    assertThat(statuses(channels(table, "audit").now()))
        .containsExactlyInAnyOrder(ChannelStatus.OPEN, ChannelStatus.WAIT, ChannelStatus.WAIT);
    RawClient large = raw();
    assertThat(opened(large, tunnelId).channelId()).isNotEqualTo(one.channelId());
    assertThat(assigned(large).channelId()).isNotEqualTo(one.channelId());
  }

  @Test
  void another_connection_cannot_speak_for_a_session() {
    subject().expectMisconduct();
    TableDescription table = table();
    RawClient owner = raw();
    String sessionId = open(owner, stream(table, "audit"), LEASE_MS, 0);
    Assignment held = assigned(owner);
    RawClient stranger = raw();
    assertThat(refused(stranger, held, 0)).isEqualTo(ErrorCode.FENCED);
    assertThat(
            stranger
                .refused(Operation.CLOSE_SESSION, new SessionControl.SessionId(sessionId))
                .code())
        .isEqualTo(ErrorCode.SESSION_ENDED);
    checkpointed(owner, held, 0);
  }

  @Test
  void a_stopped_channel_is_given_to_nobody_and_says_why() {
    TableDescription table = table();
    String tunnelId = stream(table, "audit");
    RawClient raw = raw();
    Assignment held = opened(raw, tunnelId);
    Control stop = new SessionControl.StopChannel(held.handle(), held.epoch(), "row 7 is odd");
    assertThat(raw.request(Operation.STOP_CHANNEL, Json.encode(stop))).isEmpty();
    ChannelInfo channel = channel(table, held);
    assertThat(channel.getChannelStatus()).isEqualTo(ChannelStatus.WAIT);
    assertThat(channel.error()).contains("row 7 is odd");
    raw.requireOpen();
    assertThat(raw.takePushed()).isEmpty();
  }

  @Test
  void changes_come_each_once_in_the_order_of_their_positions_and_only_while_there_is_credit() {
    TableDescription table = table();
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
          assertThat(record.value("v").asLong()).isEqualTo(last);
        }
      }
      if (open <= 0) {
        raw.requireOpen();
        assertThat(raw.takePushed()).as("with a credit of %d", open).isEmpty();
      }
    }
  }

  @Test
  void what_is_said_under_a_former_epoch_counts_for_nothing() {
    subject().expectMisconduct();
    TableDescription table = table();
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
    TableDescription table = table(10);
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
    assertThat(delivered(first).handle()).isEqualTo(staying.handle());
    credit(first, asked.handle() == one.handle() ? one : two, PLENTY / 2);
    first.requireOpen();
    assertThat(first.takePushed()).isEmpty();
  }

  @Test
  void a_session_that_is_closed_hands_its_channels_on_at_their_checkpoints() {
    TableDescription table = table();
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

  private ChannelInfo channel(TableDescription table, Assignment held) {
    return channels(table, "audit").now().stream()
        .filter(channel -> channel.getChannelId().equals(held.channelId()))
        .findFirst()
        .orElseThrow();
  }
}
