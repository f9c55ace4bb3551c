package io.tunnel.server.net;

import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.server.cluster.Unit;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import io.tunnel.wire.control.SessionControl.SessionId;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A worker of a tunnel, over real connections, from its session to its last checkpoint. Whatever
 * ends a hold ends its attachment on this server at once, also on another connection than the
 * session's, and its grant attaches nothing more.
 */
final class AttachedWorkerTest {

  private static final long LEASE_MS = 60_000;

  @TempDir private Path directory;
  private AttachFixture at;

  @BeforeEach
  void open() throws IOException {
    at = new AttachFixture(directory);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  /** What ends the hold of a channel. */
  private enum Ending {
    CLOSED_SESSION,
    ENDED_SESSION,
    LOST_CONNECTION,
    LEASE,
    RELEASE,
    PAUSE,
    PAUSED_CHANNEL,
    SEEK,
    DELETION
  }

  private void end(Ending how, RawClient worker, SessionOpened session, Assignment held)
      throws IOException {
    RawClient operator = at.worker;
    String id = session.sessionId();
    switch (how) {
      case CLOSED_SESSION ->
          worker.granted(Operation.CLOSE_SESSION, Json.encode(new SessionId(id)));
      case ENDED_SESSION ->
          operator.granted(Operation.END_SESSION, Json.encode(new EndSession("mine", "n", id)));
      case LOST_CONNECTION -> worker.close();
      case LEASE -> {
        at.node.clock.pass(LEASE_MS + 1);
        at.node.tickTunnels();
      }
      case RELEASE ->
          worker.granted(Operation.RELEASE, new ChannelRef(held.handle(), held.epoch()).encode());
      case PAUSE -> operator.granted(Operation.PAUSE, Json.encode(selection(List.of())));
      case PAUSED_CHANNEL ->
          operator.granted(Operation.PAUSE, Json.encode(selection(List.of(held.channelId()))));
      case SEEK -> operator.granted(Operation.SEEK, Json.encode(seek()));
      case DELETION ->
          operator.granted(Operation.DELETE_TUNNEL, Json.encode(new TunnelName("mine", "n")));
    }
  }

  private static ChannelSelection selection(List<String> channels) {
    return new ChannelSelection("mine", "n", channels);
  }

  private static Seek seek() {
    return new Seek(
        "mine",
        "n",
        List.of(),
        Optional.of(StreamStart.EARLIEST),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private Assignment assigned(RawClient worker) throws IOException {
    while (true) {
      Assignment one = Json.decode(worker.pushed(Operation.ASSIGN).payload(), Assignment.class);
      if (one.partition() == at.here) {
        return one;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Ending.class)
  void what_ends_a_hold_ends_its_attachment_and_its_grant(Ending how) throws Exception {
    at.write("a");
    TunnelInfo tunnel = create(TunnelType.Stream);
    try (RawClient worker = at.node.client();
        RawClient other = at.node.client()) {
      SessionOpened session = open(worker, tunnel);
      Assignment held = assigned(worker);
      Attach request = of(tunnel, held);
      credit(other, attach(other, request), held.epoch());
      assertThat(delivered(other).firstPosition()).isEqualTo(1);
      end(how, worker, session, held);
      while (at.node.attachments.count() > 0) {
        settle();
      }
      assertThat(other.refused(Operation.ATTACH, request).code()).isEqualTo(ErrorCode.BUSY);
    }
  }

  /** Each answer comes behind the steps of the node meanwhile. */
  private void settle() throws IOException {
    at.worker.granted(Operation.DETACH, new ChannelRef(0, 0).encode());
  }

  private TunnelInfo create(TunnelType type) throws IOException {
    return at.worker.granted(
        Operation.CREATE_TUNNEL,
        new CreateTunnel("mine", "n", type, StreamStart.EARLIEST),
        TunnelInfo.class);
  }

  private static SessionOpened open(RawClient worker, TunnelInfo tunnel) throws IOException {
    return worker.granted(
        Operation.OPEN_SESSION,
        new OpenSession(tunnel.tunnelId(), "tag", LEASE_MS, 0),
        SessionOpened.class);
  }

  private static Attach of(TunnelInfo tunnel, Assignment held) {
    return new Attach(
        tunnel.tunnelId(),
        held.channelId(),
        held.partition(),
        held.type(),
        held.epoch(),
        held.checkpointed(),
        held.key(),
        held.end(),
        held.endMs(),
        held.grant());
  }

  @Test
  void a_session_that_lives_keeps_its_attachment_also_if_its_worker_passes_nothing_on()
      throws IOException {
    TunnelInfo tunnel = create(TunnelType.Stream);
    try (RawClient worker = at.node.client();
        RawClient other = at.node.client()) {
      SessionOpened session = open(worker, tunnel);
      Assignment held = assigned(worker);
      int handle = attach(other, of(tunnel, held));
      for (int i = 0; i < 5; i++) {
        at.node.pass(LEASE_MS / 2);
        worker.granted(
            Operation.HEARTBEAT, Json.encode(new Heartbeat(session.sessionId(), List.of())));
        settle();
      }
      assertThat(at.node.attachments.count()).isEqualTo(1);
      credit(other, handle, held.epoch());
      at.write("a");
      assertThat(delivered(other).firstPosition()).isEqualTo(1);
      for (int i = 0; i < 5; i++) {
        Renewal first = Renewal.decode(worker.pushed(Operation.RENEW).payload());
        Renewal second = Renewal.decode(worker.pushed(Operation.RENEW).payload());
        assertThat(List.of(first.epoch(), second.epoch())).contains(held.epoch());
      }
    }
  }

  @Test
  void a_worker_reads_a_tunnel_from_beginning_to_end() throws IOException {
    at.write("a", "b");
    TunnelInfo tunnel = create(TunnelType.BaseAndStream);
    SessionOpened session =
        at.worker.granted(
            Operation.OPEN_SESSION,
            new OpenSession(tunnel.tunnelId(), "tag", 3_600_000, 0),
            SessionOpened.class);
    Assignment rows = assigned(at.worker);
    assertThat(rows.type()).isEqualTo(ChannelType.BaseData);
    int handle = attach(at.worker, of(tunnel, rows));
    assertThat(handle).as("another name on the same connection").isNotEqualTo(rows.handle());
    credit(at.worker, handle, rows.epoch());
    assertThat(delivered(at.worker).batches().get(0).rowCount()).isEqualTo(2);
    ChannelEnd end = ChannelEnd.decode(at.worker.pushed(Operation.END_OF_CHANNEL).payload());
    at.worker.push(
        Operation.LIMIT, new ChannelEnd(rows.handle(), rows.epoch(), end.position()).encode());
    at.worker.granted(
        Operation.CHECKPOINT,
        new Checkpoint(rows.handle(), rows.epoch(), end.position(), TestRows.keyBytes("b"))
            .encode());
    at.worker.granted(Operation.RELEASE, new ChannelRef(rows.handle(), rows.epoch()).encode());
    Assignment changes = assigned(at.worker);
    assertThat(changes)
        .extracting(Assignment::type, Assignment::checkpointed)
        .containsExactly(ChannelType.Stream, 2L);
    credit(at.worker, attach(at.worker, of(tunnel, changes)), changes.epoch());
    at.write("c");
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(3);
    at.worker.granted(
        Operation.CHECKPOINT, new Checkpoint(changes.handle(), changes.epoch(), 3).encode());
    assertThat(
            at.worker
                .refused(
                    Operation.CHECKPOINT,
                    new Checkpoint(changes.handle(), changes.epoch(), 4).encode())
                .code())
        .isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    at.write("d");
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(4);
    at.worker.granted(
        Operation.CHECKPOINT, new Checkpoint(changes.handle(), changes.epoch(), 4).encode());
    assertThat(
            at.worker
                .granted(
                    Operation.DESCRIBE_TUNNEL, new TunnelName("mine", "n"), TunnelDescription.class)
                .channels()
                .subList(0, 2))
        .extracting(
            ChannelDescription::status,
            ChannelDescription::checkpointed,
            ChannelDescription::delivered,
            ChannelDescription::lagRows)
        .containsExactly(
            tuple(ChannelStatus.TERMINATED, 2L, 2L, 0L), tuple(ChannelStatus.OPEN, 4L, 4L, 0L));
    at.node.tunnels.resign(Unit.groupOf(Unit.ofTunnels(at.node.mine.tableId())), () -> {});
    SessionEnd over =
        Json.decode(at.worker.pushed(Operation.SESSION_END).payload(), SessionEnd.class);
    assertThat(over.sessionId()).isEqualTo(session.sessionId());
    assertThat(over.code()).isEqualTo(ErrorCode.SESSION_ENDED);
    assertThat(
            at.worker
                .refused(
                    Operation.CHECKPOINT,
                    new Checkpoint(changes.handle(), changes.epoch(), 3).encode())
                .code())
        .isEqualTo(ErrorCode.FENCED);
  }
}
