package io.tunnel.server.net;

import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static io.tunnel.server.net.AttachFixture.settled;
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
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker of a tunnel, over real connections, from its session to its last checkpoint. */
final class AttachedWorkerTest {

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

  private TunnelInfo create(TunnelType type) throws IOException {
    return at.worker.granted(
        Operation.CREATE_TUNNEL,
        new CreateTunnel("mine", "n", type, StreamStart.EARLIEST),
        TunnelInfo.class);
  }

  private Assignment assigned() throws IOException {
    while (true) {
      Assignment assignment =
          Json.decode(at.worker.pushed(Operation.ASSIGN).payload(), Assignment.class);
      if (assignment.partition() == at.here) {
        return assignment;
      }
    }
  }

  private static Attach of(TunnelInfo tunnel, Assignment assignment) {
    return new Attach(
        tunnel.tunnelId(),
        assignment.channelId(),
        assignment.partition(),
        assignment.type(),
        assignment.epoch(),
        assignment.checkpointed(),
        assignment.key(),
        assignment.end(),
        assignment.endMs(),
        Optional.empty());
  }

  @Test
  void aWorkerReadsATunnelFromBeginningToEnd() throws IOException {
    at.write("a", "b");
    TunnelInfo tunnel = create(TunnelType.BaseAndStream);
    SessionOpened session =
        at.worker.granted(
            Operation.OPEN_SESSION,
            new OpenSession(tunnel.tunnelId(), "tag", 3_600_000, 0),
            SessionOpened.class);
    Assignment rows = assigned();
    assertThat(rows.isAttached()).isTrue();
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
    Assignment changes = assigned();
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
    at.node.changes.settle(at.here, 4);
    at.node.bounds.set(at.here, 1, 4);
    ChannelEnd upTo = settled(at.worker);
    at.worker.granted(
        Operation.CHECKPOINT,
        new Checkpoint(changes.handle(), changes.epoch(), upTo.position()).encode());
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
