package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.MemoryCatalogStore;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.log.EdgeQueries;
import io.tunnel.server.log.FakeEdges;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.FailureControl.Heartbeat;
import io.tunnel.wire.OperatorControl.Seek;
import io.tunnel.wire.OperatorControl.SeekResult;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.OpenSession;
import io.tunnel.wire.SessionControl.SessionEnd;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions of a node of a cluster: their channels are delivered elsewhere, from a shared log. */
final class AttachedSessionsTest {

  private static final int GROUP = 1;
  private static final Bytes KEY = TestRows.keyBytes("k");

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final FakeSession port = new FakeSession();
  private final FakeSurroundings surroundings = new FakeSurroundings();
  private final FakeEdges log = new FakeEdges();
  private final KnownEdges known = new KnownEdges();
  private final Handles handles = new Handles();
  private final List<TunnelInfo> created = new ArrayList<>();
  private final List<Exception> failed = new ArrayList<>();
  private TableRecord table;
  private TunnelCatalog catalog;
  private ChannelGrants grants;
  private Coordinator coordinator;
  private Operators operators;
  private int low;
  private int high;

  @BeforeEach
  void open() throws IOException {
    MemoryCatalogStore texts = new MemoryCatalogStore();
    new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52")).noteIn(texts);
    Catalog tables = new Catalog(texts);
    grants = tables.grants();
    table =
        tables.createTable(
            new TableMeta("t", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromString("m")), 0);
    low = table.partitions().get(0).id();
    high = table.partitions().get(1).id();
    log.set(low, 3, 20);
    log.set(high, 1, 10);
    catalog = new TunnelCatalog(tables, store, GROUP);
    SharedEdges edges = new SharedEdges(log, known, surroundings);
    coordinator =
        new Coordinator(
            catalog,
            Deliveries.attached(handles, tables.grants()),
            edges,
            new SessionConfig(300, 1_000),
            surroundings);
    operators = new Operators(catalog, edges, coordinator, surroundings);
  }

  private TunnelInfo create(
      TunnelType type, StreamStart start, Optional<Long> startMs, Optional<Long> endMs) {
    operators.create(
        new CreateTunnel("t", "n", type, start, startMs, endMs),
        Asked.NAMELESS,
        new Operators.Creation() {
          @Override
          public void created(TunnelInfo tunnel) {
            created.add(tunnel);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    surroundings.passBarriers();
    return created.get(created.size() - 1);
  }

  private TunnelInfo create(TunnelType type, StreamStart start) {
    return create(type, start, Optional.empty(), Optional.empty());
  }

  private String session(TunnelInfo tunnel) {
    List<String> ids = new ArrayList<>();
    coordinator.open(
        new OpenSession(tunnel.tunnelId(), "tag", 1_000, 0),
        port,
        opened -> ids.add(opened.sessionId()));
    return ids.get(0);
  }

  private Assignment held(int partition) {
    return port.held.values().stream()
        .filter(held -> held.partition() == partition)
        .findFirst()
        .orElseThrow();
  }

  private FakeSession.Outcome checkpoint(Assignment held, long position, Bytes key) {
    FakeSession.Outcome outcome = new FakeSession.Outcome();
    Queue<CheckpointRequest> waiting = new ArrayDeque<>();
    waiting.add(
        new CheckpointRequest(
            new Checkpoint(held.handle(), held.epoch(), position, key), port, outcome));
    coordinator.checkpoint(waiting);
    return outcome;
  }

  private static ErrorCode code(FakeSession.Outcome outcome) {
    assertThat(outcome.told).isEqualTo(1);
    return ((RefusedException) outcome.refusal).code();
  }

  private ChannelState state(TunnelInfo tunnel, ChannelKey key) {
    return catalog.channel(tunnel.tunnelId(), key);
  }

  @Test
  void tunnelsStartAtTheEdgesOfTheSharedLog() {
    TunnelInfo latest = create(TunnelType.Stream, StreamStart.LATEST);
    assertThat(state(latest, ChannelKey.stream(low)).checkpointed()).isEqualTo(20);
    assertThat(state(latest, ChannelKey.stream(high)).checkpointed()).isEqualTo(10);
    catalog.channels(latest);
    operatorsDelete(latest);
    TunnelInfo earliest = create(TunnelType.Stream, StreamStart.EARLIEST);
    assertThat(state(earliest, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
    assertThat(state(earliest, ChannelKey.stream(high)).checkpointed()).isZero();
    operatorsDelete(earliest);
    log.record(low, 15, 500_000);
    TunnelInfo moment =
        create(TunnelType.Stream, StreamStart.EARLIEST, Optional.of(500L), Optional.empty());
    assertThat(state(moment, ChannelKey.stream(low)).checkpointed()).isEqualTo(14);
    assertThat(state(moment, ChannelKey.stream(high)).checkpointed())
        .as("nothing was committed since")
        .isEqualTo(10);
  }

  private void operatorsDelete(TunnelInfo tunnel) {
    try {
      operators.delete(new TunnelName(tunnel.table(), tunnel.tunnel()), Asked.NAMELESS);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nothingIsCreatedWhenTheLogCannotBeAsked() {
    log.unreachable(true);
    operators.create(
        new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.LATEST),
        Asked.NAMELESS,
        new Operators.Creation() {
          @Override
          public void created(TunnelInfo tunnel) {
            created.add(tunnel);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    surroundings.runControl();
    assertThat(created).isEmpty();
    assertThat(failed)
        .extracting(reason -> ((RefusedException) reason).code())
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
    assertThat(catalog.tunnels(Optional.empty())).isEmpty();
  }

  @Test
  void anAssignmentSaysAllThatIsNeededToAttach() throws IOException {
    TunnelInfo tunnel =
        create(TunnelType.Stream, StreamStart.LATEST, Optional.empty(), Optional.of(5_000L));
    ChannelKey key = ChannelKey.stream(low);
    catalog.store(
        tunnel.tunnelId(), Map.of(key, state(tunnel, key).withEnd(Optional.of(30L), false)));
    session(tunnel);
    Assignment ended = held(low);
    assertThat(ended.isAttached()).isTrue();
    assertThat(grants.isOf(ended.channelId(), low, ended.epoch(), ended.grant().orElseThrow()))
        .as("what is granted is this channel under this epoch")
        .isTrue();
    assertThat(ended.checkpointed()).isEqualTo(20);
    assertThat(ended.end()).contains(30L);
    assertThat(ended.endMs()).contains(5_000L);
    assertThat(held(high).end()).isEmpty();
    assertThat(handles.next()).as("names are shared with what others attach to").isEqualTo(3);
  }

  @Test
  void aCheckpointIsBoundedByTheLogsEndAsItIsWhenThatMatters() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    int questions = log.questions();
    assertThat(checkpoint(held, 20, Bytes.EMPTY).told).as("known since the creation").isEqualTo(1);
    assertThat(log.questions()).isEqualTo(questions);
    log.set(low, 3, 25);
    FakeSession.Outcome later = checkpoint(held, 25, Bytes.EMPTY);
    assertThat(later.told).isZero();
    assertThat(log.questions()).isEqualTo(questions + 1);
    surroundings.runControl();
    assertThat(later.told).isEqualTo(1);
    assertThat(later.refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(25);
    FakeSession.Outcome beyond = checkpoint(held, 26, Bytes.EMPTY);
    surroundings.runControl();
    assertThat(code(beyond)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(25);
  }

  @Test
  void checkpointsThatWaitForALookAreJudgedByWhoHoldsTheChannelThen() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    log.set(low, 3, 25);
    log.hold(true);
    FakeSession.Outcome first = checkpoint(held, 22, Bytes.EMPTY);
    FakeSession.Outcome second = checkpoint(held, 24, Bytes.EMPTY);
    FakeSession.Outcome other = checkpoint(held(high), 4, Bytes.EMPTY);
    assertThat(other.told).as("what needs no look does not wait").isEqualTo(1);
    coordinator.disconnected(port);
    log.hold(false);
    surroundings.runControl();
    assertThat(code(first)).isEqualTo(ErrorCode.FENCED);
    assertThat(code(second)).isEqualTo(ErrorCode.FENCED);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
  }

  @Test
  void checkpointsOfOneChannelThatWaitTogetherAreBothStored() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    log.set(low, 3, 25);
    FakeSession.Outcome first = new FakeSession.Outcome();
    FakeSession.Outcome second = new FakeSession.Outcome();
    Assignment held = held(low);
    Queue<CheckpointRequest> waiting = new ArrayDeque<>();
    waiting.add(
        new CheckpointRequest(new Checkpoint(held.handle(), held.epoch(), 22), port, first));
    waiting.add(
        new CheckpointRequest(new Checkpoint(held.handle(), held.epoch(), 24), port, second));
    int questions = log.questions();
    coordinator.checkpoint(waiting);
    assertThat(log.questions()).as("one look for both").isEqualTo(questions + 1);
    surroundings.runControl();
    assertThat(first.refusal).isNull();
    assertThat(second.refusal).isNull();
    assertThat(second.told).isEqualTo(1);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(24);
  }

  /** A worker that is not answered in time asks again, with what it has by then. */
  @Test
  void aCheckpointThatWaitsForALookIsDoneWhenMoreIsStoredMeanwhile() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    log.set(low, 3, 25);
    log.hold(true);
    FakeSession.Outcome first = checkpoint(held, 22, Bytes.EMPTY);
    known.saw(low, new EdgeQueries.Edge(3, 24));
    FakeSession.Outcome second = checkpoint(held, 24, Bytes.EMPTY);
    assertThat(second.told).isEqualTo(1);
    assertThat(first.told).isZero();
    log.hold(false);
    surroundings.runControl();
    assertThat(first.told).isEqualTo(1);
    assertThat(first.refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(24);
  }

  @Test
  void aCheckpointThatCannotBeJudgedIsRefusedUntilItCan() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    log.unreachable(true);
    FakeSession.Outcome outcome = checkpoint(held(low), 21, Bytes.EMPTY);
    surroundings.runControl();
    assertThat(code(outcome)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
  }

  private TunnelInfo base() {
    operators.create(
        new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.LATEST),
        Asked.NAMELESS,
        new Operators.Creation() {
          @Override
          public void created(TunnelInfo tunnel) {
            created.add(tunnel);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    surroundings.keeping.get(0).kept(Map.of(low, 20L, high, 10L));
    return created.get(0);
  }

  @Test
  void theKeyOfABaseChannelsCheckpointIsTheWorkersToSayAndIsStored() {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    assertThat(held.type()).isEqualTo(ChannelType.BaseData);
    assertThat(code(checkpoint(held, 2, Bytes.EMPTY))).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(code(checkpoint(held, 2, Bytes.fromHex("01"))))
        .isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(checkpoint(held, 2, KEY).refusal).isNull();
    assertThat(state(tunnel, ChannelKey.base(low)))
        .extracting(ChannelState::checkpointed, ChannelState::key)
        .containsExactly(2L, KEY);
    coordinator.disconnected(port);
    port.held.clear();
    session(tunnel);
    assertThat(held(low).key()).isEqualTo(KEY);
    assertThat(held(low).checkpointed()).isEqualTo(2);
  }

  @Test
  void aBaseChannelIsTerminatedAtTheEndThatItsWorkerWasTold() throws IOException {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch() - 1, 3), port);
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 3), new FakeSession());
    assertThat(channel(tunnel, ChannelKey.base(low)).end()).isEmpty();
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 3), port);
    assertThat(channel(tunnel, ChannelKey.base(low)).end()).contains(3L);
    assertThat(code(checkpoint(held, 2, Bytes.EMPTY))).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(checkpoint(held, 3, KEY).refusal).isNull();
    coordinator.release(new ChannelRef(held.handle(), held.epoch()), port);
    assertThat(channel(tunnel, ChannelKey.base(low)).status()).isEqualTo(ChannelStatus.TERMINATED);
    assertThat(state(tunnel, ChannelKey.base(low)).isFinished()).isTrue();
    assertThat(held(low).type()).as("its changes come behind it").isEqualTo(ChannelType.Stream);
    assertThat(held(low).checkpointed()).isEqualTo(20);
  }

  @Test
  void anEndInFrontOfWhatIsCheckpointedIsNotTaken() {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    checkpoint(held, 2, KEY);
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 1), port);
    assertThat(state(tunnel, ChannelKey.base(low)).end()).isEmpty();
  }

  private ChannelDescription channel(TunnelInfo tunnel, ChannelKey key) throws IOException {
    KnownEdges known = new KnownEdges();
    return coordinator
        .view(tunnel)
        .describe(LogFigures.of(known, null, partition -> false), 0)
        .channels()
        .stream()
        .filter(one -> one.channelId().equals(key.channelId(tunnel.tunnelId())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anEndInTimeIsFoundWhenTheLogHasPassedItAndTheWorkerIsTold() {
    surroundings.nowMs = 1_000;
    TunnelInfo tunnel =
        create(TunnelType.Stream, StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L));
    session(tunnel);
    surroundings.nowMs = 2_000;
    log.record(low, 18, 2_000_000);
    coordinator.tick();
    surroundings.passBarriers();
    Assignment held = held(low);
    assertThat(port.limits).containsExactly(new ChannelEnd(held.handle(), held.epoch(), 17));
    assertThat(state(tunnel, ChannelKey.stream(low)).end()).contains(17L);
    assertThat(state(tunnel, ChannelKey.stream(high)).end())
        .as("the log's clock may be behind: more may come from before the moment")
        .isEmpty();
    surroundings.nowMs = 2_000 + SharedEdges.CLOCK_GAP_MICROS_MAX / 1_000;
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(state(tunnel, ChannelKey.stream(high)).end()).as("not before a second").isEmpty();
    surroundings.nowNanos += 1_000_000_000L;
    coordinator.heartbeat(new Heartbeat(held.sessionId(), List.of()), port);
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(state(tunnel, ChannelKey.stream(high)).end()).contains(10L);
    assertThat(port.limits).hasSize(2);
    assertThat(code(checkpoint(held, 18, Bytes.EMPTY))).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
  }

  @Test
  void aSeekAsksTheLogFirst() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    log.record(low, 15, 500_000);
    log.record(high, 2, 400_000);
    log.record(high, 9, 600_000);
    List<SeekResult> results = new ArrayList<>();
    operators.seek(
        new Seek(
            "t",
            "n",
            List.of(),
            Optional.empty(),
            Optional.of(500L),
            Optional.empty(),
            Optional.empty(),
            false),
        Asked.NAMELESS,
        new Operators.Answer<>() {
          @Override
          public void done(SeekResult result) {
            results.add(result);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    assertThat(results).isEmpty();
    surroundings.runControl();
    assertThat(failed).isEmpty();
    assertThat(results.get(0).moves())
        .extracting(move -> move.partition(), move -> move.to())
        .containsExactly(tuple(low, 14L), tuple(high, 8L));
    assertThat(state(tunnel, ChannelKey.stream(high)).checkpointed()).isEqualTo(8);
  }

  @Test
  void whoResignsEndsAllSessionsAndStoresNothingMore() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    String id = session(tunnel);
    Assignment held = held(low);
    log.set(low, 3, 25);
    FakeSession.Outcome waiting = checkpoint(held, 25, Bytes.EMPTY);
    int writes = store.writes();
    coordinator.resign("another node does");
    assertThat(port.held).isEmpty();
    assertThat(port.overs)
        .containsExactly(new SessionEnd(id, ErrorCode.SESSION_ENDED, "another node does"));
    surroundings.runControl();
    assertThat(code(waiting)).isEqualTo(ErrorCode.FENCED);
    surroundings.nowNanos = Long.MAX_VALUE / 2;
    coordinator.tick();
    surroundings.runControl();
    assertThat(store.writes()).isEqualTo(writes);
    assertThatThrownBy(() -> session(tunnel))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
    assertThatThrownBy(() -> coordinator.heartbeat(new Heartbeat(id, List.of()), port))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_ENDED));
  }

  @Test
  void whatThisNodeHasNoCopyOfIsSaidToBeUnknown() throws IOException {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    KnownEdges known = new KnownEdges();
    known.saw(low, new EdgeQueries.Edge(8, 20));
    known.saw(high, new EdgeQueries.Edge(1, 10));
    List<ChannelDescription> channels =
        coordinator
            .view(tunnel)
            .describe(LogFigures.of(known, null, partition -> false), 0)
            .channels();
    assertThat(channels)
        .extracting(
            ChannelDescription::committed,
            ChannelDescription::lagRows,
            ChannelDescription::lagBytes,
            ChannelDescription::lagMs,
            ChannelDescription::historyLeftMs)
        .containsExactly(
            tuple(20L, 18L, -1L, -1L, Optional.of(-1L)),
            tuple(10L, 10L, -1L, -1L, Optional.empty()));
  }

  @Test
  void aBaseChannelIsBehindByTheRowsThatTheNodeKnowsOf() throws IOException {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    LogFigures none = LogFigures.of(new KnownEdges(), null, partition -> false);
    assertThat(lagRows(tunnel, none)).as("no copy of the partition").isEqualTo(-1);
    LogFigures some = none.withRows(partition -> partition == low ? 40 : 0);
    assertThat(lagRows(tunnel, some)).isEqualTo(40);
    checkpoint(held, 3, KEY);
    assertThat(lagRows(tunnel, some)).isEqualTo(37);
    assertThat(lagRows(tunnel, none.withRows(partition -> 2))).as("never less than 0").isZero();
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 5), port);
    assertThat(lagRows(tunnel, some)).as("the end is known").isEqualTo(2);
  }

  private long lagRows(TunnelInfo tunnel, LogFigures figures) throws IOException {
    String id = ChannelKey.base(low).channelId(tunnel.tunnelId());
    return coordinator.view(tunnel).describe(figures, 0).channels().stream()
        .filter(channel -> channel.channelId().equals(id))
        .findFirst()
        .orElseThrow()
        .lagRows();
  }
}
