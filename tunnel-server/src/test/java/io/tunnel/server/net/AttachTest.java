package io.tunnel.server.net;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.log.IncarnationHistory;
import io.tunnel.server.log.IncarnationHistory.Numbers;
import io.tunnel.server.log.IncarnationHistory.Start;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.ClusterControl.Attach;
import io.tunnel.wire.ClusterControl.Attached;
import io.tunnel.wire.ClusterControl.NodeStatus;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Control.TunnelDescription;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.OpenSession;
import io.tunnel.wire.SessionControl.SessionEnd;
import io.tunnel.wire.SessionControl.SessionOpened;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Channels that are delivered where their partitions are led, over real connections. */
final class AttachTest {

  private static final int CREDIT_BYTES = 1 << 20;

  @TempDir private Path directory;
  private TestNode node;
  private RawClient worker;
  private int here;

  @BeforeEach
  void open() throws IOException {
    node = new TestNode(directory);
    worker = node.client();
    here = TestNode.first(node.mine);
  }

  @AfterEach
  void close() throws IOException {
    worker.close();
    node.close();
  }

  private Attach stream(long epoch, long position, Optional<Long> end) {
    return new Attach(
        "t", here + "_t", here, ChannelType.Stream, epoch, position, Bytes.EMPTY, end);
  }

  private static int attach(RawClient client, Attach request) throws IOException {
    return client.granted(Operation.ATTACH, request, Attached.class).handle();
  }

  private static void credit(RawClient client, int handle, long epoch) throws IOException {
    client.push(Operation.CREDIT, new Credit(handle, epoch, CREDIT_BYTES).encode());
  }

  private static Delivery delivered(RawClient client) throws IOException {
    Frame frame = client.pushed(Operation.DELIVER);
    assertThat(frame.kind()).isEqualTo(FrameKind.PUSH);
    return Delivery.decode(frame.payload());
  }

  private void write(String... keys) throws IOException {
    for (String key : keys) {
      worker.granted(Operation.WRITE, TestNode.write(node.mine, here, put(key)));
    }
    node.settleEdges();
  }

  private void requireTaken(RawClient client, int handle, ErrorCode code) throws IOException {
    Frame told = client.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(handle);
    assertThat(RawClient.error(told).code()).isEqualTo(code);
  }

  @Test
  void aChannelIsDeliveredFromWhereItsWorkerIs() throws IOException {
    write("a", "b", "c");
    int handle = attach(worker, stream(5, 1, Optional.empty()));
    credit(worker, handle, 5);
    Delivery first = delivered(worker);
    assertThat(first)
        .extracting(Delivery::handle, Delivery::epoch, Delivery::firstPosition)
        .containsExactly(handle, 5L, 2L);
    worker.push(Operation.LIMIT, new ChannelEnd(handle, 5, 4).encode());
    write("d");
    assertThat(delivered(worker).firstPosition()).isEqualTo(4);
    assertThat(ChannelEnd.decode(worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(handle, 5, 4));
    worker.granted(Operation.DETACH, new ChannelRef(handle, 5).encode());
    worker.granted(Operation.DETACH, new ChannelRef(handle, 5).encode());
    assertThat(node.attachments.count()).isZero();
  }

  private void ledBy(Start... starts) {
    node.histories.put(
        here,
        new IncarnationHistory(
            Stream.of(starts).map(Start::incarnation).toList(), List.of(starts), Numbers.ORDERED));
  }

  private Attach seenIn(long position, long incarnation) {
    return stream(5, position, Optional.empty()).seenIn(Optional.of(incarnation));
  }

  @Test
  void whoseChangesWereLostIsRefusedBeforeAnythingIsDelivered() throws IOException {
    write("a", "b", "c");
    ledBy(new Start(4, 1), new Start(6, 3));
    ErrorPayload refusal = worker.refused(Operation.ATTACH, Json.encode(seenIn(3, 4)));
    assertThat(refusal.code()).isEqualTo(ErrorCode.POSITION_REPLACED);
    assertThat(refusal.message()).contains("up to position 3", "behind 2");
    assertThat(node.attachments.count()).isZero();
    Attached told = worker.granted(Operation.ATTACH, seenIn(2, 4), Attached.class);
    assertThat(told.incarnation()).contains(6L);
    credit(worker, told.handle(), 5);
    assertThat(delivered(worker).firstPosition()).isEqualTo(3);
    assertThat(worker.refused(Operation.ATTACH, Json.encode(seenIn(4, 6))).code())
        .as("beyond everything")
        .isEqualTo(ErrorCode.POSITION_REPLACED);
    var unused = attach(worker, stream(5, 3, Optional.empty()));
  }

  @Test
  void nobodyIsRefusedForChangesThatAreOnlyNotReadYet() throws IOException {
    write("a");
    ledBy(new Start(4, 1));
    node.edges.set(here, 1, 2);
    int waiting = worker.send(Operation.ATTACH, Json.encode(seenIn(2, 4)));
    // What is answered behind it shows that it waits.
    worker.granted(Operation.DESCRIBE_NODE, new Empty(), NodeStatus.class);
    worker.granted(Operation.WRITE, TestNode.write(node.mine, here, put("b")));
    assertThat(
            Json.decode(worker.answer(Operation.ATTACH, waiting).payload(), Attached.class)
                .incarnation())
        .contains(4L);
  }

  /** Otherwise it would checkpoint changes of the later one as if they were of the first. */
  @Test
  void whatIsOfALaterIncarnationComesToWorkersThatWereToldIt() throws IOException {
    write("a");
    ledBy(new Start(4, 1));
    int former = attach(worker, stream(5, 1, Optional.empty()));
    credit(worker, former, 5);
    ledBy(new Start(4, 1), new Start(6, 2));
    write("b");
    requireTaken(worker, former, ErrorCode.BUSY);
    Attached again = worker.granted(Operation.ATTACH, seenIn(1, 4), Attached.class);
    assertThat(again.incarnation()).contains(6L);
    credit(worker, again.handle(), 5);
    assertThat(delivered(worker).firstPosition()).isEqualTo(2);
  }

  private Attach granted(long epoch) {
    Attach request = stream(epoch, 0, Optional.empty());
    return request.withGrant(node.catalog.grants().of(request.channelId(), here, epoch));
  }

  @Test
  void aMadeUpEpochKeepsNobodyAwayWhoHoldsTheChannel() throws IOException {
    try (RawClient stranger = node.client()) {
      int taken = attach(stranger, stream(Long.MAX_VALUE, 0, Optional.empty()));
      attach(worker, granted(5));
      requireTaken(stranger, taken, ErrorCode.FENCED);
      assertThat(
              stranger
                  .refused(Operation.ATTACH, stream(Long.MAX_VALUE, 0, Optional.empty()))
                  .code())
          .isEqualTo(ErrorCode.BUSY);
      assertThat(stranger.refused(Operation.ATTACH, stream(4, 0, Optional.empty())).code())
          .isEqualTo(ErrorCode.FENCED);
    }
    write("a");
    int next = attach(worker, granted(6));
    credit(worker, next, 6);
    requireTakenOrDelivered(next);
  }

  /** The former handle is told that it is fenced, and the new one has the change. */
  private void requireTakenOrDelivered(int next) throws IOException {
    assertThat(RawClient.error(worker.pushed(Operation.DELIVER)).code())
        .isEqualTo(ErrorCode.FENCED);
    assertThat(delivered(worker).handle()).isEqualTo(next);
  }

  @Test
  void aMadeUpEpochIsForgottenWhereSomebodyHoldsTheChannel() throws IOException {
    try (RawClient stranger = node.client()) {
      int handle = attach(stranger, stream(Long.MAX_VALUE, 0, Optional.empty()));
      stranger.granted(Operation.DETACH, new ChannelRef(handle, Long.MAX_VALUE).encode());
    }
    attach(worker, granted(5));
  }

  @Test
  void aGrantOfAnotherChannelOrEpochIsRefused() throws IOException {
    Attach wrong = stream(6, 0, Optional.empty()).withGrant(granted(5).grant());
    assertThat(worker.refused(Operation.ATTACH, wrong).code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    Attach empty = stream(6, 0, Optional.empty()).withGrant(Optional.of(Bytes.EMPTY));
    assertThat(worker.refused(Operation.ATTACH, empty).code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(node.attachments.count()).isZero();
  }

  @Test
  void anEndThatIsKnownIsToldWithoutCreditToWhoHasEverything() throws IOException {
    write("a");
    int handle = attach(worker, stream(5, 1, Optional.of(1L)));
    assertThat(ChannelEnd.decode(worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(handle, 5, 1));
  }

  @Test
  void nothingIsDeliveredThatWasCommittedAtTheTunnelsEndOrLater() throws IOException {
    write("a");
    Attach request =
        new Attach(
            "t",
            here + "_t",
            here,
            ChannelType.Stream,
            5,
            0,
            Bytes.EMPTY,
            Optional.empty(),
            Optional.of(1L),
            Optional.empty());
    int handle = attach(worker, request);
    credit(worker, handle, 5);
    worker.push(Operation.LIMIT, new ChannelEnd(handle, 5, 0).encode());
    assertThat(ChannelEnd.decode(worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(handle, 5, 0));
  }

  @Test
  void theHighestEpochIsDeliveredAndOthersAreFencedOnWhateverConnection() throws IOException {
    write("a");
    try (RawClient next = node.client()) {
      int former = attach(worker, stream(5, 0, Optional.empty()));
      int again = attach(worker, stream(5, 0, Optional.empty()));
      assertThat(again).as("the same worker, which had lost sight").isNotEqualTo(former);
      requireTaken(worker, former, ErrorCode.BUSY);
      int newer = attach(next, stream(6, 0, Optional.empty()));
      requireTaken(worker, again, ErrorCode.FENCED);
      assertThat(worker.refused(Operation.ATTACH, stream(5, 0, Optional.empty())).code())
          .isEqualTo(ErrorCode.FENCED);
      next.granted(Operation.DETACH, new ChannelRef(newer, 6).encode());
      assertThat(worker.refused(Operation.ATTACH, stream(5, 0, Optional.empty())).code())
          .as("the epoch is remembered")
          .isEqualTo(ErrorCode.FENCED);
      credit(worker, attach(worker, stream(6, 0, Optional.empty())), 6);
      assertThat(delivered(worker).epoch()).isEqualTo(6);
    }
  }

  @Test
  void aLateRequestOfAnotherConnectionMayBeRepairedByAttachingAgain() throws IOException {
    write("a");
    try (RawClient late = node.client()) {
      int newer = attach(worker, stream(5, 0, Optional.empty()));
      int older = attach(late, stream(5, 0, Optional.empty()));
      requireTaken(worker, newer, ErrorCode.BUSY);
      assertThat(ErrorCode.BUSY.retriable()).isTrue();
      int again = attach(worker, stream(5, 0, Optional.empty()));
      requireTaken(late, older, ErrorCode.BUSY);
      credit(worker, again, 5);
      assertThat(delivered(worker).handle()).isEqualTo(again);
    }
    assertThat(node.attachments.count()).isEqualTo(1);
  }

  @Test
  void whoLosesAPartitionSaysWhoLeadsItNow() throws IOException {
    write("a");
    int handle = attach(worker, stream(5, 0, Optional.empty()));
    node.lose(here);
    Frame told = worker.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(handle);
    ErrorPayload reason = RawClient.error(told);
    assertThat(reason.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(reason.leader()).contains(TestNode.THERE);
    assertThat(node.attachments.count()).isZero();
    ErrorPayload refusal = worker.refused(Operation.ATTACH, stream(6, 0, Optional.empty()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal.leader()).contains(TestNode.THERE);
    node.lead(here);
    assertThat(attach(worker, stream(4, 0, Optional.empty())))
        .as("epochs of a former time are forgotten")
        .isGreaterThan(handle);
  }

  private static ChannelEnd settled(RawClient client) throws IOException {
    return ChannelEnd.decode(client.pushed(Operation.SETTLED).payload());
  }

  @Test
  void whoHasEveryChangeIsToldOfPositionsBehindThatAreNone() throws IOException {
    write("a", "b");
    int handle = attach(worker, stream(5, 0, Optional.empty()));
    node.changes.settle(here, 3);
    credit(worker, handle, 5);
    assertThat(delivered(worker).firstPosition()).isEqualTo(1);
    assertThat(settled(worker)).isEqualTo(new ChannelEnd(handle, 5, 3));
    node.changes.settle(here, 4);
    assertThat(settled(worker)).isEqualTo(new ChannelEnd(handle, 5, 4));
    int again = attach(worker, stream(5, 3, Optional.empty()));
    requireTaken(worker, handle, ErrorCode.BUSY);
    assertThat(settled(worker)).isEqualTo(new ChannelEnd(again, 5, 4));
  }

  private Attach base(long epoch) {
    return new Attach(
        "t", here + "_t_base", here, ChannelType.BaseData, epoch, 0, Bytes.EMPTY, Optional.empty());
  }

  @Test
  void rowsAreServedWhenEverythingIsReadThatTheLogHeldThen() throws IOException {
    write("a");
    node.edges.set(here, 1, 2);
    int waiting = worker.send(Operation.ATTACH, Json.encode(base(5)));
    // What is answered behind it shows that it waits.
    worker.granted(Operation.DESCRIBE_NODE, new Empty(), NodeStatus.class);
    assertThat(node.attachments.count()).isEqualTo(1);
    worker.granted(Operation.WRITE, TestNode.write(node.mine, here, put("b")));
    Attached attached =
        Json.decode(worker.answer(Operation.ATTACH, waiting).payload(), Attached.class);
    credit(worker, attached.handle(), 5);
    Delivery rows = delivered(worker);
    assertThat(rows.batches().get(0).rowCount()).isEqualTo(2);
    assertThat(ChannelEnd.decode(worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(attached.handle(), 5, 2));
  }

  @Test
  void whoWaitsForRowsIsAnsweredWhenThePartitionIsLost() throws IOException {
    node.edges.set(here, 1, 2);
    int waiting = worker.send(Operation.ATTACH, Json.encode(base(5)));
    worker.granted(Operation.DESCRIBE_NODE, new Empty(), NodeStatus.class);
    node.lose(here);
    assertThat(RawClient.error(worker.answer(Operation.ATTACH, waiting)).leader())
        .contains(TestNode.THERE);
    node.edges.unreachable(true);
    node.lead(here);
    assertThat(worker.refused(Operation.ATTACH, base(6)).code())
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(node.attachments.count()).isZero();
  }

  @Test
  void aConnectionAttachesToSoManyChannelsAndNoMore() throws IOException {
    for (int i = 0; i < Attachments.OF_CONNECTION_MAX; i++) {
      worker.send(Operation.ATTACH, Json.encode(of("c" + i)));
    }
    assertThat(worker.refused(Operation.ATTACH, of("one too many")).code())
        .isEqualTo(ErrorCode.BUSY);
    assertThat(node.attachments.count()).isEqualTo(Attachments.OF_CONNECTION_MAX);
    worker.granted(Operation.DETACH, new ChannelRef(3, 5).encode());
    attach(worker, of("in its place"));
  }

  private Attach of(String channelId) {
    return new Attach(
        "t", channelId, here, ChannelType.Stream, 5, 0, Bytes.EMPTY, Optional.empty());
  }

  @Test
  void aBaseChannelHasNoLimit() throws IOException {
    write("a");
    int handle = attach(worker, base(5));
    worker.push(Operation.LIMIT, new ChannelEnd(handle, 5, 1).encode());
    Frame farewell = worker.pushed(Operation.LIMIT);
    assertThat(RawClient.error(farewell).code()).isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  private TunnelInfo create(TunnelType type) throws IOException {
    return worker.granted(
        Operation.CREATE_TUNNEL,
        new CreateTunnel("mine", "n", type, StreamStart.EARLIEST),
        TunnelInfo.class);
  }

  private Assignment assigned() throws IOException {
    while (true) {
      Assignment assignment =
          Json.decode(worker.pushed(Operation.ASSIGN).payload(), Assignment.class);
      if (assignment.partition() == here) {
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
    write("a", "b");
    TunnelInfo tunnel = create(TunnelType.BaseAndStream);
    SessionOpened session =
        worker.granted(
            Operation.OPEN_SESSION,
            new OpenSession(tunnel.tunnelId(), "tag", 3_600_000, 0),
            SessionOpened.class);
    Assignment rows = assigned();
    assertThat(rows.isAttached()).isTrue();
    assertThat(rows.type()).isEqualTo(ChannelType.BaseData);
    int handle = attach(worker, of(tunnel, rows));
    assertThat(handle).as("another name on the same connection").isNotEqualTo(rows.handle());
    credit(worker, handle, rows.epoch());
    assertThat(delivered(worker).batches().get(0).rowCount()).isEqualTo(2);
    ChannelEnd end = ChannelEnd.decode(worker.pushed(Operation.END_OF_CHANNEL).payload());
    worker.push(
        Operation.LIMIT, new ChannelEnd(rows.handle(), rows.epoch(), end.position()).encode());
    worker.granted(
        Operation.CHECKPOINT,
        new Checkpoint(rows.handle(), rows.epoch(), end.position(), TestRows.keyBytes("b"))
            .encode());
    worker.granted(Operation.RELEASE, new ChannelRef(rows.handle(), rows.epoch()).encode());
    Assignment changes = assigned();
    assertThat(changes)
        .extracting(Assignment::type, Assignment::checkpointed)
        .containsExactly(ChannelType.Stream, 2L);
    credit(worker, attach(worker, of(tunnel, changes)), changes.epoch());
    write("c");
    assertThat(delivered(worker).firstPosition()).isEqualTo(3);
    worker.granted(
        Operation.CHECKPOINT, new Checkpoint(changes.handle(), changes.epoch(), 3).encode());
    assertThat(
            worker
                .refused(
                    Operation.CHECKPOINT,
                    new Checkpoint(changes.handle(), changes.epoch(), 4).encode())
                .code())
        .isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    node.changes.settle(here, 4);
    node.edges.set(here, 1, 4);
    ChannelEnd upTo = settled(worker);
    worker.granted(
        Operation.CHECKPOINT,
        new Checkpoint(changes.handle(), changes.epoch(), upTo.position()).encode());
    assertThat(
            worker
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
    node.tunnels.resign(Unit.groupOf(Unit.ofTunnels(node.mine.tableId())), () -> {});
    SessionEnd over = Json.decode(worker.pushed(Operation.SESSION_END).payload(), SessionEnd.class);
    assertThat(over.sessionId()).isEqualTo(session.sessionId());
    assertThat(over.code()).isEqualTo(ErrorCode.SESSION_ENDED);
    assertThat(
            worker
                .refused(
                    Operation.CHECKPOINT,
                    new Checkpoint(changes.handle(), changes.epoch(), 3).encode())
                .code())
        .isEqualTo(ErrorCode.FENCED);
  }
}
