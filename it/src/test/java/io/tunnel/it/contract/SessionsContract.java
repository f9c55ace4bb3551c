package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.RawClient;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is true of sessions, epochs and checkpoints, seen on the wire. */
abstract class SessionsContract extends WireContract {

  @Test
  void a_channel_is_named_after_its_partition_and_its_tunnel() {
    TableInfo table = table();
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
  void a_channel_moves_when_it_is_released_and_its_former_holder_is_fenced() {
    subject().expectMisconduct();
    TableInfo table = table(10);
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
    TableInfo table = table(10);
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
    TableInfo table = table();
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
    TableInfo table = table(10, 20);
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
    TableInfo table = table();
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
  void a_channel_that_is_stopped_or_retried_says_at_which_change() {
    TableInfo table = table();
    String tunnelId = stream(table, "audit");
    RawClient raw = raw();
    String sessionId = open(raw, tunnelId, LEASE_MS, 0);
    Assignment held = assigned(raw);
    FailureControl.FailedChange at = new FailureControl.FailedChange(7, key(3), 2);
    FailureControl.Retry retry =
        new FailureControl.Retry(Optional.of(at), 4, 60_000, 30_000, "away");
    heartbeat(
        raw,
        sessionId,
        new FailureControl.RetryingChannel(held.handle(), held.epoch(), retry),
        new FailureControl.RetryingChannel(held.handle() + 1, held.epoch(), retry));
    ChannelInfo retried = channel(table, held);
    FailedChange change = new FailedChange(held.partition(), 7, key(3), 2);
    assertThat(retried.failedAt()).contains(change);
    RetryInfo info = retried.retry().orElseThrow();
    assertThat(info.at()).contains(change);
    assertThat(info.attempts()).isEqualTo(4);
    assertThat(info.forMs()).isGreaterThanOrEqualTo(60_000);
    assertThat(info.nextInMs()).isBetween(0L, 30_000L);
    assertThat(info.error()).isEqualTo("away");
    assertThat(retried.error()).isEmpty();
    heartbeat(raw, sessionId);
    assertThat(channel(table, held).retry()).isEmpty();
    assertThat(channel(table, held).failedAt()).isEmpty();
    heartbeat(
        raw, sessionId, new FailureControl.RetryingChannel(held.handle(), held.epoch(), retry));
    Control stop =
        new SessionControl.StopChannel(held.handle(), held.epoch(), "odd", Optional.of(at));
    assertThat(raw.request(Operation.STOP_CHANNEL, Json.encode(stop))).isEmpty();
    assertThat(channel(table, held).retry()).isEmpty();
    assertThat(channel(table, held).failedAt()).contains(change);
    var unused =
        tunnels()
            .resumeTunnel(
                new ResumeTunnelRequest(table.meta().name(), "audit", List.of(held.channelId())));
    assertThat(channel(table, held).failedAt()).isEmpty();
  }

  private static void heartbeat(
      RawClient raw, String sessionId, FailureControl.RetryingChannel... retrying) {
    Control heartbeat = new FailureControl.Heartbeat(sessionId, List.of(retrying));
    assertThat(raw.request(Operation.HEARTBEAT, Json.encode(heartbeat))).isEmpty();
  }

  @Test
  void a_stopped_channel_is_given_to_nobody_and_says_why() {
    TableInfo table = table();
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
}
