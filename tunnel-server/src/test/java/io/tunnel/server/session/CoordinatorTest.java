package io.tunnel.server.session;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
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
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.catalog.MemoryCatalogStore;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.log.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.FailureControl.Heartbeat;
import io.tunnel.wire.OperatorControl.ChannelPosition;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.OperatorControl.Seek;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.Fence;
import io.tunnel.wire.SessionControl.OpenSession;
import io.tunnel.wire.SessionControl.SessionEnd;
import io.tunnel.wire.SessionControl.StopChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CoordinatorTest {

  private static final long LEASE_MS = 1_000;
  private static final long REVOKE_MS = 300;
  private static final int ROWS = 5;

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final FakeSession first = new FakeSession();
  private final FakeSession second = new FakeSession();
  private TunnelCatalog catalog;
  private LocalLog log;
  private TunnelInfo tunnel;
  private Coordinator coordinator;
  private final FakeSurroundings surroundings = new FakeSurroundings();

  /** What became of each checkpoint that waited. */
  private final List<FakeSession.Outcome> outcomes = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    catalog = new TunnelCatalog(new Catalog(store));
    log = TestLogs.open(new CrashDisk(), 0);
    List<PrimaryKeyValue> points =
        List.of(PrimaryKeyValue.fromString("h"), PrimaryKeyValue.fromString("p"));
    Map<ChannelKey, ChannelState> states = new HashMap<>();
    GroupCore group = new GroupCore(4_096);
    for (PartitionRecord partition :
        catalog.tables().createTable(new TableMeta("t", TestRows.SCHEMA), points, 0).partitions()) {
      states.put(ChannelKey.stream(partition.id()), ChannelState.startingAt(0));
      group.add(batch(partition.id(), put("a"), put("b"), put("c"), put("d"), put("e")));
    }
    log.append(group, true, 1);
    tunnel =
        catalog.createTunnel(
            new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST), "id", states, 0);
    coordinator = coordinator();
  }

  private Coordinator coordinator() throws IOException {
    return new Coordinator(
        catalog,
        log,
        new Channels(
            log, (tunnelId, partition, after, firstPosition, bytesMax, sink) -> sink.end(), 1_000),
        new SessionConfig(REVOKE_MS, 1_000),
        surroundings);
  }

  private String session(FakeSession port) {
    String[] id = new String[1];
    coordinator.open(
        new OpenSession("id", "tag", LEASE_MS, 0),
        port,
        opened -> {
          assertThat(port.held).as("nothing is assigned before the answer").isEmpty();
          id[0] = opened.sessionId();
        });
    return id[0];
  }

  private static Assignment delivered(FakeSession port) {
    Assignment assignment = port.any();
    port.channels.get(assignment.handle()).credit(1 << 20);
    return assignment;
  }

  private static Checkpoint checkpoint(Assignment assignment, long position) {
    return new Checkpoint(assignment.handle(), assignment.epoch(), position);
  }

  private static ChannelRef ref(Assignment assignment) {
    return new ChannelRef(assignment.handle(), assignment.epoch());
  }

  private static void requireRefused(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void aConnectionThatClosesGivesItsChannelsToTheOthersAtOnce() throws IOException {
    session(first);
    assertThat(first.held).hasSize(3);
    Assignment former = delivered(first);
    first.checkpoint(coordinator, checkpoint(former, 2));
    session(second);
    coordinator.disconnected(first);
    assertThat(second.held).hasSize(3);
    Assignment taken =
        second.held.values().stream()
            .filter(held -> held.partition() == former.partition())
            .findFirst()
            .orElseThrow();
    assertThat(taken.checkpointed()).isEqualTo(2);
    assertThat(taken.epoch()).isGreaterThan(former.epoch());
    assertThat(coordinator.sessionCount()).isEqualTo(1);
    requireRefused(ErrorCode.FENCED, () -> first.checkpoint(coordinator, checkpoint(former, 3)));
  }

  @Test
  void handlesOfOthersAndOldEpochsAreFenced() {
    session(first);
    Assignment held = delivered(first);
    requireRefused(ErrorCode.FENCED, () -> second.checkpoint(coordinator, checkpoint(held, 1)));
    requireRefused(
        ErrorCode.FENCED,
        () -> first.checkpoint(coordinator, new Checkpoint(held.handle(), held.epoch() - 1, 1)));
    requireRefused(
        ErrorCode.FENCED, () -> coordinator.release(new ChannelRef(99, held.epoch()), first));
    coordinator.release(ref(held), first);
    requireRefused(ErrorCode.FENCED, () -> coordinator.release(ref(held), first));
  }

  @Test
  void aSessionIsItsConnectionsOwn() {
    String id = session(first);
    requireRefused(
        ErrorCode.SESSION_ENDED, () -> coordinator.heartbeat(new Heartbeat(id, List.of()), second));
    requireRefused(ErrorCode.SESSION_ENDED, () -> coordinator.close(id, second));
    coordinator.close(id, first);
    assertThat(first.held).isEmpty();
    requireRefused(
        ErrorCode.SESSION_ENDED, () -> coordinator.heartbeat(new Heartbeat(id, List.of()), first));
  }

  @Test
  void aCheckpointThatCannotBeStoredIsNotTakenForStored() throws IOException {
    session(first);
    Assignment held = delivered(first);
    store.fail(true);
    assertThatThrownBy(() -> first.checkpoint(coordinator, checkpoint(held, 3)))
        .isInstanceOf(IOException.class);
    assertThat(view(held).checkpointed()).isZero();
    store.fail(false);
    first.checkpoint(coordinator, checkpoint(held, 3));
    assertThat(view(held).checkpointed()).isEqualTo(3);
    assertThat(checkpointed(new TunnelCatalog(new Catalog(store)), held.partition())).isEqualTo(3);
    int writes = store.writes();
    first.checkpoint(coordinator, checkpoint(held, 3));
    assertThat(store.writes()).as("no news is not written").isEqualTo(writes);
    requireRefused(
        ErrorCode.INVALID_CHECKPOINT,
        () -> first.checkpoint(coordinator, checkpoint(held, ROWS + 1)));
  }

  private ChannelDescription view(Assignment held) throws IOException {
    return coordinator.view(tunnel).describe(LogFigures.of(log), 11).channels().stream()
        .filter(channel -> channel.partition() == held.partition())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aChannelIsDescribedWithItsLag() throws IOException {
    session(first);
    Assignment held = delivered(first);
    first.checkpoint(coordinator, checkpoint(held, 2));
    ChannelDescription described = view(held);
    assertThat(described.delivered()).isEqualTo(ROWS);
    assertThat(described.committed()).isEqualTo(ROWS);
    assertThat(described.lagRows()).isEqualTo(ROWS - 2);
    assertThat(described.lagBytes()).isPositive();
    assertThat(described.owner()).isPresent();
    assertThat(described.clientTag()).contains("tag");
    first.checkpoint(coordinator, checkpoint(held, ROWS));
    assertThat(view(held).lagBytes()).isZero();
    assertThat(view(held).lagMs()).isZero();
  }

  @Test
  void aMoveWaitsForTheReleaseOrItsDeadline() {
    session(first);
    session(second);
    assertThat(first.revocations).hasSize(1);
    assertThat(second.held).isEmpty();
    Assignment moving = first.held.get(first.revocations.get(0).handle());
    coordinator.release(ref(moving), first);
    assertThat(second.held).hasSize(1);
    assertThat(first.held).hasSize(2);
  }

  @Test
  void sessionsEndWithTheirLeases() {
    String id = session(first);
    session(second);
    surroundings.nowNanos = TimeUnit.MILLISECONDS.toNanos(REVOKE_MS);
    coordinator.tick();
    assertThat(second.held).as("the deadline of the move").hasSize(1);
    coordinator.heartbeat(new Heartbeat(id, List.of()), first);
    surroundings.nowNanos = TimeUnit.MILLISECONDS.toNanos(LEASE_MS);
    coordinator.tick();
    assertThat(coordinator.sessionCount()).isEqualTo(1);
    assertThat(second.held).isEmpty();
    assertThat(first.held).hasSize(3);
    assertThat(first.fences).as("the deadline").hasSize(1);
    assertThat(first.overs).isEmpty();
    assertThat(second.fences).as("with the session").hasSize(1);
    assertThat(second.overs).extracting(SessionEnd::code).containsExactly(ErrorCode.SESSION_ENDED);
  }

  @Test
  void aDeletedTunnelEndsItsSessions() throws IOException {
    String id = session(first);
    session(second);
    catalog.deleteTunnel(tunnel);
    coordinator.forget(tunnel);
    assertThat(first.overs)
        .extracting(SessionEnd::sessionId, SessionEnd::code)
        .containsExactly(tuple(id, ErrorCode.TUNNEL_NOT_FOUND));
    assertThat(first.fences).hasSize(3);
    assertThat(surroundings.forgotten).containsExactly("id");
    assertThat(coordinator.sessionCount()).isZero();
    assertThat(first.held).isEmpty();
    assertThat(second.held).isEmpty();
    requireRefused(
        ErrorCode.SESSION_ENDED, () -> coordinator.heartbeat(new Heartbeat(id, List.of()), first));
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, () -> session(first));
    coordinator.tick();
    coordinator.disconnected(first);
  }

  @Test
  void checkpointsBeyondWhatTheLogKeptAreTakenBackAtStart() throws IOException {
    int lost = catalog.tables().table("t").partitions().get(0).id();
    int kept = catalog.tables().table("t").partitions().get(1).id();
    catalog.store(
        "id",
        Map.of(
            ChannelKey.stream(lost),
            ChannelState.startingAt(ROWS + 3L).withEnd(Optional.of(ROWS + 3L), true),
            ChannelKey.stream(kept),
            ChannelState.startingAt(ROWS)));
    coordinator = coordinator();
    assertThat(checkpointed(catalog, lost)).isEqualTo(ROWS);
    assertThat(checkpointed(catalog, kept)).isEqualTo(ROWS);
    assertThat(catalog.channel("id", ChannelKey.stream(lost)))
        .as("the end is looked for again")
        .isEqualTo(ChannelState.startingAt(ROWS));
    session(first);
    assertThat(first.held.values()).allMatch(held -> held.checkpointed() <= ROWS);
  }

  private static long checkpointed(TunnelCatalog catalog, int partition) {
    return catalog.channel("id", ChannelKey.stream(partition)).checkpointed();
  }

  @Test
  void whoClosesOrIsGoneIsNotToldThatItIs() {
    String id = session(first);
    session(second);
    coordinator.close(id, first);
    coordinator.disconnected(second);
    for (FakeSession port : List.of(first, second)) {
      assertThat(port.held).isEmpty();
      assertThat(port.fences).isEmpty();
      assertThat(port.overs).isEmpty();
    }
  }

  @Test
  void whatItsWorkerStopsIsStoredAsStoppedAndGivenToNobody() throws IOException {
    session(first);
    Assignment held = delivered(first);
    int handle = held.handle();
    requireRefused(
        ErrorCode.FENCED,
        () -> coordinator.stop(new StopChannel(handle, held.epoch() - 1, "x"), first));
    coordinator.stop(new StopChannel(handle, held.epoch(), "poison"), first);
    assertThat(first.held).hasSize(2);
    assertThat(first.fences).isEmpty();
    session(second);
    assertThat(second.held).isEmpty();
    assertThat(view(held).error()).contains("poison");
    assertThat(view(held).status()).isEqualTo(ChannelStatus.WAIT);
    catalog = new TunnelCatalog(new Catalog(store));
    coordinator = coordinator();
    session(second);
    assertThat(second.held).hasSize(2);
  }

  @Test
  void whatTheServerCannotDeliverIsStoppedWithTheReason() throws IOException {
    session(first);
    Assignment held = delivered(first);
    coordinator.failed(
        held.handle(), first, new RefusedException(ErrorCode.HISTORY_LOST, "1 to 3 are gone"));
    assertThat(view(held).error()).contains("HISTORY_LOST: 1 to 3 are gone");
    assertThat(first.fences)
        .extracting(Fence::handle, Fence::reason)
        .containsExactly(tuple(held.handle(), "HISTORY_LOST: 1 to 3 are gone"));
    coordinator.failed(held.handle(), first, new RefusedException(ErrorCode.INTERNAL, "again"));
    assertThat(view(held).error()).as("not held any more").get().asString().contains("gone");
  }

  @Test
  void theEndOfAChannelIsStoredBeforeWhatFollows() throws IOException {
    PartitionRecord partition = catalog.tables().table("t").partitions().get(0);
    catalog.createTunnel(
        new CreateTunnel("t", "both", TunnelType.BaseAndStream, StreamStart.EARLIEST),
        "two",
        Map.of(
            ChannelKey.base(partition.id()),
            ChannelState.startingAt(0),
            ChannelKey.stream(partition.id()),
            ChannelState.startingAt(4)),
        0);
    coordinator.open(new OpenSession("two", "tag", LEASE_MS, 0), first, opened -> {});
    Assignment base =
        first.held.values().stream()
            .filter(held -> held.partition() == partition.id())
            .findFirst()
            .orElseThrow();
    assertThat(base.type()).isEqualTo(ChannelType.BaseData);
    first.channels.get(base.handle()).credit(1 << 20);
    surroundings.runControl();
    store.fail(true);
    coordinator.release(ref(base), first);
    assertThat(first.held.values()).noneMatch(held -> held.type() == ChannelType.Stream);
    coordinator.tick();
    assertThat(first.held.values()).noneMatch(held -> held.type() == ChannelType.Stream);
    store.fail(false);
    coordinator.tick();
    assertThat(
            new TunnelCatalog(new Catalog(store))
                .channel("two", ChannelKey.base(partition.id()))
                .isFinished())
        .isTrue();
    assertThat(first.held.values())
        .filteredOn(held -> held.type() == ChannelType.Stream)
        .extracting(Assignment::partition, Assignment::checkpointed)
        .containsExactly(tuple(partition.id(), 4L));
    assertThat(surroundings.forgotten).containsExactly("two/" + partition.id());
  }

  /** A tunnel of one partition whose base channel was read to its end, which cannot be stored. */
  private TunnelInfo finishedWithoutAWord() throws IOException {
    int partition = catalog.tables().table("t").partitions().get(0).id();
    TunnelInfo two =
        catalog.createTunnel(
            new CreateTunnel("t", "both", TunnelType.BaseAndStream, StreamStart.EARLIEST),
            "two",
            Map.of(
                ChannelKey.base(partition),
                ChannelState.startingAt(3).withProgress(3, TestRows.keyBytes("c")),
                ChannelKey.stream(partition),
                ChannelState.startingAt(4)),
            0);
    coordinator.open(new OpenSession("two", "tag", LEASE_MS, 0), first, opened -> {});
    Assignment base = base(partition);
    surroundings.runControl();
    store.fail(true);
    coordinator.release(ref(base), first);
    return two;
  }

  private Assignment base(int partition) {
    return first.held.values().stream()
        .filter(held -> held.partition() == partition && held.type() == ChannelType.BaseData)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aSeekThatComesBeforeAnEndThatWasNotStoredIsNotUndoneByIt() throws IOException {
    TunnelInfo two = finishedWithoutAWord();
    ChannelKey key = ChannelKey.base(catalog.tables().table("t").partitions().get(0).id());
    Operators operators = new Operators(catalog, log, coordinator, surroundings);
    Seek back =
        new Seek(
            "t",
            "both",
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(
                new CheckpointSet(
                    catalog.tables().table("t").tableId(),
                    "t",
                    "both",
                    List.of(
                        new ChannelPosition(
                            key.partition(), ChannelType.BaseData, 0, Bytes.EMPTY, false)))),
            false);
    assertThatThrownBy(() -> Seeks.now(operators, back)).isInstanceOf(IOException.class);
    store.fail(false);
    Seeks.now(operators, back);
    coordinator.tick();
    ChannelState stored = new TunnelCatalog(new Catalog(store)).channel("two", key);
    assertThat(stored.checkpointed()).isZero();
    assertThat(stored.isFinished()).as("a channel at its beginning").isFalse();
    assertThat(coordinator.view(two).describe(LogFigures.of(log), 11).channels())
        .filteredOn(channel -> channel.type() == ChannelType.BaseData)
        .filteredOn(channel -> channel.partition() == key.partition())
        .extracting(ChannelDescription::status)
        .containsExactly(ChannelStatus.OPEN);
  }

  @Test
  void whatAHolderReadToItsEndThatHoldsNothingAnyMoreDoesNotEndItForTheNext() throws IOException {
    Map<ChannelKey, ChannelState> states = new HashMap<>();
    for (PartitionRecord partition : catalog.tables().table("t").partitions()) {
      states.put(ChannelKey.base(partition.id()), ChannelState.startingAt(0));
    }
    catalog.createTunnel(
        new CreateTunnel("t", "base", TunnelType.BaseData, StreamStart.EARLIEST), "two", states, 0);
    coordinator.open(new OpenSession("two", "tag", LEASE_MS, 0), first, opened -> {});
    List<Assignment> held = List.copyOf(first.held.values());
    surroundings.runControlOnce();
    store.fail(true);
    coordinator.release(ref(held.get(0)), first);
    coordinator.release(ref(held.get(1)), first);
    assertThat(first.held).as("nothing more is done until the end is stored").hasSize(2);
    surroundings.runControlOnce();
    store.fail(false);
    coordinator.tick();
    Assignment again = base(held.get(1).partition());
    assertThat(again.epoch()).isGreaterThan(held.get(1).epoch());
    coordinator.release(ref(again), first);
    assertThat(catalog.channel("two", ChannelKey.base(again.partition())).isFinished())
        .as("its rows were not read to their end")
        .isFalse();
  }

  private CheckpointRequest waiting(Checkpoint checkpoint) {
    outcomes.add(new FakeSession.Outcome());
    return new CheckpointRequest(checkpoint, first, outcomes.get(outcomes.size() - 1));
  }

  @Test
  void checkpointsThatWaitAreStoredWithOneWriteAndEachIsJudgedByItself() throws IOException {
    session(first);
    List<Assignment> held = List.copyOf(first.held.values());
    held.forEach(one -> first.channels.get(one.handle()).credit(1 << 20));
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    queue.add(waiting(checkpoint(held.get(0), 2)));
    queue.add(waiting(new Checkpoint(held.get(1).handle(), held.get(1).epoch() - 1, 2)));
    queue.add(waiting(checkpoint(held.get(1), ROWS + 1)));
    queue.add(waiting(checkpoint(held.get(1), 0)));
    queue.add(waiting(checkpoint(held.get(1), 3)));
    queue.add(waiting(checkpoint(held.get(2), 4)));
    int writes = store.writes();
    coordinator.checkpoint(queue);
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(outcomes).allMatch(outcome -> outcome.told == 1);
    assertThat(outcomes)
        .extracting(outcome -> outcome.refusal == null)
        .containsExactly(true, false, false, true, true, true);
    TunnelCatalog stored = new TunnelCatalog(new Catalog(store));
    assertThat(held)
        .extracting(one -> checkpointed(stored, one.partition()))
        .containsExactly(2L, 3L, 4L);
  }

  @Test
  void checkpointsOfOneChannelThatWaitTogetherNeverGoBack() throws IOException {
    session(first);
    Assignment held = delivered(first);
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    queue.add(waiting(checkpoint(held, 4)));
    queue.add(waiting(checkpoint(held, 2)));
    coordinator.checkpoint(queue);
    assertThat(queue).as("the second is judged when the first is stored").hasSize(1);
    coordinator.checkpoint(queue);
    assertThat(outcomes.get(0).refusal).isNull();
    assertThat(outcomes.get(1).refusal)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CHECKPOINT));
    assertThat(checkpointed(new TunnelCatalog(new Catalog(store)), held.partition())).isEqualTo(4);
  }

  @Test
  void checkpointsThatCannotBeStoredTogetherAreAllRefused() throws IOException {
    session(first);
    List<Assignment> held = List.copyOf(first.held.values());
    held.forEach(one -> first.channels.get(one.handle()).credit(1 << 20));
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    held.forEach(one -> queue.add(waiting(checkpoint(one, 2))));
    store.fail(true);
    coordinator.checkpoint(queue);
    assertThat(outcomes).hasSize(3).allMatch(one -> one.refusal instanceof IOException);
    assertThat(coordinator.view(tunnel).describe(LogFigures.of(log), 11).channels())
        .allMatch(channel -> channel.checkpointed() == 0);
  }

  @Test
  void noMoreCheckpointsThanTheLimitAreStoredTogether() {
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    for (int i = 0; i <= Checkpoints.TOGETHER_MAX; i++) {
      queue.add(waiting(new Checkpoint(1_000 + i, 1, 1)));
    }
    coordinator.checkpoint(queue);
    assertThat(queue).hasSize(1);
    coordinator.checkpoint(queue);
    assertThat(outcomes).allMatch(one -> one.told == 1);
  }
}
