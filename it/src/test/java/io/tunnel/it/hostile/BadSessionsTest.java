package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sessions that take what is not theirs, on a table of one partition with three changes. */
class BadSessionsTest {

  private static final int ROWS = 3;
  private static final int PLENTY = 1 << 20;
  private static final long LEASE_MS = 30_000;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;
  private static int tables;

  private String tunnelId;
  private RawClient owner;
  private RawClient stranger;
  private String sessionId;
  private Assignment held;

  @BeforeAll
  static void begin() {
    calm = new CalmServer(STAGE);
  }

  @AfterAll
  static void end() {
    calm.requireUndisturbed();
  }

  @BeforeEach
  void open() {
    owner = STAGE.closing(RawClient.greeted(calm.server()));
    stranger = STAGE.closing(RawClient.greeted(calm.server()));
    TestTable plan = new TestTable("sessions" + ++tables, 1);
    TableDescription table =
        owner.request(
            Operation.CREATE_TABLE,
            new Control.CreateTable(plan.meta(), List.of()),
            TableDescription.class);
    for (int i = 0; i < ROWS; i++) {
      byte[] write =
          RawWrite.payload(
              table.meta(),
              table.tableId(),
              table.partitions().get(0).id(),
              List.of(TestTable.put(1, "a", i)));
      assertThat(owner.request(Operation.WRITE, write)).isNotEmpty();
    }
    tunnelId =
        owner
            .request(
                Operation.CREATE_TUNNEL,
                new Control.CreateTunnel(
                    plan.name(), "audit", TunnelType.Stream, StreamStart.EARLIEST),
                Control.TunnelInfo.class)
            .tunnelId();
    sessionId = openSession(owner, LEASE_MS);
    held = awaitAssignment(owner);
  }

  @AfterEach
  void close() {
    owner.close();
    stranger.close();
    calm.requireHealthy();
  }

  private String openSession(RawClient client, long leaseMs) {
    return client
        .request(
            Operation.OPEN_SESSION,
            new SessionControl.OpenSession(tunnelId, "raw", leaseMs, 0),
            SessionControl.SessionOpened.class)
        .sessionId();
  }

  private static Assignment awaitAssignment(RawClient client) {
    return Json.decode(client.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
  }

  /** Takes deliveries until {@code position} is delivered. */
  private static void awaitDelivered(RawClient client, Assignment channel, long position) {
    client.credit(channel, PLENTY);
    long last;
    do {
      Delivery delivery = Delivery.decode(client.awaitPush(Operation.DELIVER).payload());
      assertThat(delivery.handle()).isEqualTo(client.deliveries(channel));
      assertThat(delivery.epoch()).isEqualTo(channel.epoch());
      last = delivery.batches().get(delivery.batches().size() - 1).lastPosition();
    } while (last < position);
  }

  private ErrorPayload refusedCheckpoint(RawClient client, int handle, long epoch, long position) {
    return client.refused(Operation.CHECKPOINT, new Checkpoint(handle, epoch, position).encode());
  }

  private void checkpoint(Assignment channel, long position) {
    byte[] payload = new Checkpoint(channel.handle(), channel.epoch(), position).encode();
    assertThat(owner.request(Operation.CHECKPOINT, payload)).isEmpty();
  }

  private static void requireRefused(ErrorPayload error, ErrorCode code, String text) {
    assertThat(error.code()).as(error.message()).isEqualTo(code);
    assertThat(error.message()).contains(text);
  }

  /** That many frames were delivered to the owner by now, and not one more. */
  private void requireDeliveries(int count) {
    stranger.requireOpen();
    // Its answer comes behind whatever the channel, on the same thread, has sent before.
    owner.requireOpen();
    assertThat(owner.takePushed().stream().map(Frame::operation))
        .filteredOn(operation -> operation == Operation.DELIVER)
        .hasSize(count);
  }

  @Test
  void credit_for_a_foreign_handle_or_an_old_epoch_delivers_nothing() {
    int handle = owner.deliveries(held);
    stranger.push(Operation.CREDIT, new Credit(handle, held.epoch(), PLENTY).encode());
    stranger.push(Operation.CREDIT, new Credit(123_456, held.epoch(), PLENTY).encode());
    owner.push(Operation.CREDIT, new Credit(handle, held.epoch() - 1, PLENTY).encode());
    owner.push(Operation.CREDIT, new Credit(held.handle(), held.epoch(), PLENTY).encode());
    owner.push(Operation.CREDIT, new Credit(handle + 1, held.epoch(), PLENTY).encode());
    requireDeliveries(0);
    awaitDelivered(owner, held, ROWS);
  }

  @Test
  void credit_beyond_all_numbers_is_credit_like_any_other() {
    for (int i = 0; i < 5; i++) {
      owner.credit(held, Integer.MAX_VALUE);
    }
    awaitDelivered(owner, held, ROWS);
  }

  @Test
  void a_checkpoint_stays_between_the_last_one_and_what_was_delivered() {
    assertThat(owner.deliveries(held)).isPositive();
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), 1),
        ErrorCode.INVALID_CHECKPOINT,
        "is not from 0 (stored) to 0 (delivered)");
    awaitDelivered(owner, held, ROWS);
    checkpoint(held, 2);
    checkpoint(held, 2);
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), 1),
        ErrorCode.INVALID_CHECKPOINT,
        "is not from 2 (stored)");
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), ROWS + 1),
        ErrorCode.INVALID_CHECKPOINT,
        "to " + ROWS + " (delivered)");
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), Long.MAX_VALUE),
        ErrorCode.INVALID_CHECKPOINT,
        "to " + ROWS + " (delivered)");
    checkpoint(held, ROWS);
  }

  @Test
  void nobody_goes_on_behind_a_position_that_no_change_has() {
    long madeUp = 1_000_000_000_000L;
    Attach attach =
        new Attach(
            tunnelId,
            held.channelId(),
            held.partition(),
            held.type(),
            held.epoch(),
            madeUp,
            held.key(),
            held.end(),
            held.endMs(),
            held.grant());
    requireRefused(
        owner.refused(Operation.ATTACH, attach),
        ErrorCode.INVALID_POSITION,
        "the newest of partition " + held.partition() + " is " + ROWS);
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), madeUp),
        ErrorCode.INVALID_CHECKPOINT,
        "to " + ROWS + " (delivered)");
    awaitDelivered(owner, held, ROWS);
    checkpoint(held, ROWS);
  }

  @Test
  void who_does_not_hold_a_channel_under_its_epoch_is_fenced() {
    awaitDelivered(owner, held, ROWS);
    int handle = held.handle();
    requireRefused(
        refusedCheckpoint(owner, handle, held.epoch() - 1, 1), ErrorCode.FENCED, "no longer held");
    requireRefused(
        refusedCheckpoint(owner, handle, held.epoch() + 1, 1), ErrorCode.FENCED, "no longer held");
    requireRefused(
        refusedCheckpoint(owner, 123_456, held.epoch(), 1), ErrorCode.FENCED, "handle 123456");
    requireRefused(
        refusedCheckpoint(stranger, handle, held.epoch(), 1), ErrorCode.FENCED, "no longer held");
    byte[] ref = new ChannelRef(handle, held.epoch()).encode();
    requireRefused(stranger.refused(Operation.RELEASE, ref), ErrorCode.FENCED, "no longer held");
    checkpoint(held, 1);
  }

  @Test
  void a_channel_is_released_once_and_begins_anew_under_another_epoch() {
    awaitDelivered(owner, held, ROWS);
    checkpoint(held, 1);
    byte[] ref = new ChannelRef(held.handle(), held.epoch()).encode();
    assertThat(owner.request(Operation.RELEASE, ref)).isEmpty();
    requireRefused(owner.refused(Operation.RELEASE, ref), ErrorCode.FENCED, "no longer held");
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), 2),
        ErrorCode.FENCED,
        "no longer held");

    Assignment next = awaitAssignment(owner);
    assertThat(next.epoch()).isGreaterThan(held.epoch());
    assertThat(next.checkpointed()).isEqualTo(1);
    awaitDelivered(owner, next, ROWS);
  }

  @Test
  void a_channel_that_its_worker_stopped_is_given_to_nobody() {
    byte[] stop =
        Json.encode(new SessionControl.StopChannel(held.handle(), held.epoch(), "poison"));
    assertThat(owner.request(Operation.STOP_CHANNEL, stop)).isEmpty();
    requireRefused(owner.refused(Operation.STOP_CHANNEL, stop), ErrorCode.FENCED, "no longer held");
    assertThat(openSession(stranger, LEASE_MS)).isNotEqualTo(sessionId);
    Control.TunnelDescription described =
        owner.request(
            Operation.DESCRIBE_TUNNEL,
            new Control.TunnelName("sessions" + tables, "audit"),
            Control.TunnelDescription.class);
    assertThat(described.channels().get(0).owner()).isEmpty();
    assertThat(described.channels().get(0).error()).contains("poison");
    assertThat(described.sessions()).hasSize(2);
  }

  @Test
  void a_session_belongs_to_its_connection() {
    SessionControl.SessionId session = new SessionControl.SessionId(sessionId);
    for (Operation operation : List.of(Operation.HEARTBEAT, Operation.CLOSE_SESSION)) {
      requireRefused(
          stranger.refused(operation, session), ErrorCode.SESSION_ENDED, "open a new one");
    }
    assertThat(owner.request(Operation.HEARTBEAT, Json.encode(session))).isEmpty();
    assertThat(owner.request(Operation.CLOSE_SESSION, Json.encode(session))).isEmpty();
    requireRefused(
        owner.refused(Operation.HEARTBEAT, session), ErrorCode.SESSION_ENDED, "open a new one");
    requireRefused(
        refusedCheckpoint(owner, held.handle(), held.epoch(), 0),
        ErrorCode.FENCED,
        "no longer held");
  }

  @Test
  void a_session_ends_with_its_connection_and_its_channel_moves_at_once() {
    assertThat(openSession(stranger, LEASE_MS)).isNotEmpty();
    owner.close();
    Assignment next = awaitAssignment(stranger);
    assertThat(next.channelId()).isEqualTo(held.channelId());
    assertThat(next.epoch()).isGreaterThan(held.epoch());
  }

  @Test
  void a_session_that_is_silent_for_its_lease_is_over() {
    RawClient sleeper = STAGE.closing(RawClient.greeted(calm.server()));
    assertThat(
            owner.request(
                Operation.CLOSE_SESSION, Json.encode(new SessionControl.SessionId(sessionId))))
        .isEmpty();
    String silent = openSession(sleeper, 1_000);
    Assignment lost = awaitAssignment(sleeper);
    assertThat(openSession(stranger, LEASE_MS)).isNotEmpty();

    Assignment next = awaitAssignment(stranger);
    assertThat(next.channelId()).isEqualTo(lost.channelId());
    SessionControl.Fence fence =
        Json.decode(sleeper.awaitPush(Operation.FENCE).payload(), SessionControl.Fence.class);
    assertThat(fence.handle()).isEqualTo(lost.handle());
    SessionControl.SessionEnd over =
        Json.decode(
            sleeper.awaitPush(Operation.SESSION_END).payload(), SessionControl.SessionEnd.class);
    assertThat(over.sessionId()).isEqualTo(silent);
    assertThat(over.code()).isEqualTo(ErrorCode.SESSION_ENDED);
    requireRefused(
        sleeper.refused(Operation.HEARTBEAT, new SessionControl.SessionId(silent)),
        ErrorCode.SESSION_ENDED,
        "open a new one");
    requireRefused(
        refusedCheckpoint(sleeper, lost.handle(), lost.epoch(), 0),
        ErrorCode.FENCED,
        "no longer held");
    sleeper.close();
  }

  @Test
  void a_lease_that_makes_no_sense_is_refused_with_its_limits() {
    for (String lease : List.of("0", "999", "3600001", "-1")) {
      byte[] payload =
          ("{\"tunnelId\":\"" + tunnelId + "\",\"clientTag\":\"raw\",\"leaseMs\":" + lease + "}")
              .getBytes(StandardCharsets.UTF_8);
      requireRefused(
          stranger.refused(Operation.OPEN_SESSION, payload),
          ErrorCode.INVALID_REQUEST,
          "1000 (a second) to 3600000 (an hour)");
    }
  }
}
