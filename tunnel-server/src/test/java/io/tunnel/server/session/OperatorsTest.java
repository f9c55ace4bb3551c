package io.tunnel.server.session;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.model.Bytes;
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
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.catalog.MemoryCatalogStore;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.UnknownOutcomeException;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.log.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.OperatorControl.ChannelPosition;
import io.tunnel.wire.OperatorControl.ChannelSelection;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Move;
import io.tunnel.wire.OperatorControl.Seek;
import io.tunnel.wire.OperatorControl.SeekResult;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.OpenSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OperatorsTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final FakeSurroundings surroundings = new FakeSurroundings();
  private final FakeSession port = new FakeSession();
  private final List<TunnelInfo> created = new ArrayList<>();
  private final List<Exception> failed = new ArrayList<>();
  private TunnelCatalog catalog;
  private LocalLog log;
  private TableRecord table;
  private int low;
  private int high;
  private Coordinator coordinator;
  private Operators operators;

  /** Two partitions with changes 1 to 3 at 100 ms and 4 to 6 at 200 ms; it is 1,000 ms. */
  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
    catalog = new TunnelCatalog(new Catalog(store));
    table =
        catalog
            .tables()
            .createTable(
                new TableMeta("t", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromString("m")), 0);
    low = table.partitions().get(0).id();
    high = table.partitions().get(1).id();
    write(100);
    write(200);
    start();
  }

  private void write(long atMs) throws IOException {
    GroupCore group = new GroupCore(4_096);
    for (PartitionRecord partition : table.partitions()) {
      group.add(batch(partition.id(), put("a"), put("b"), put("c")));
    }
    log.append(group, true, TimeUnit.MILLISECONDS.toMicros(atMs));
  }

  private void start() throws IOException {
    catalog = new TunnelCatalog(new Catalog(store));
    coordinator =
        new Coordinator(
            catalog,
            log,
            new Channels(log, (tunnel, partition, after, first, max, sink) -> sink.end(), 1_000),
            new SessionConfig(300, 1_000),
            surroundings);
    operators = new Operators(catalog, log, coordinator, surroundings);
  }

  private void create(CreateTunnel request) {
    create(request, Asked.NAMELESS);
  }

  private void create(CreateTunnel request, Asked asked) {
    operators.create(
        request,
        asked,
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
  }

  private static CreateTunnel stream(
      StreamStart start, Optional<Long> startMs, Optional<Long> endMs) {
    return new CreateTunnel("t", "n", TunnelType.Stream, start, startMs, endMs);
  }

  private TunnelInfo earliest() {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    return created.get(created.size() - 1);
  }

  private String session(TunnelInfo tunnel) {
    String[] id = new String[1];
    coordinator.open(
        new OpenSession(tunnel.tunnelId(), "tag", 1_000, 0),
        port,
        opened -> id[0] = opened.sessionId());
    return id[0];
  }

  private Assignment held(int partition) {
    return port.held.values().stream()
        .filter(held -> held.partition() == partition)
        .findFirst()
        .orElseThrow();
  }

  private long at(TunnelInfo tunnel, int partition) throws IOException {
    long stored =
        new TunnelCatalog(new Catalog(store))
            .channel(tunnel.tunnelId(), stream(partition))
            .checkpointed();
    assertThat(catalog.channel(tunnel.tunnelId(), stream(partition)).checkpointed())
        .isEqualTo(stored);
    return stored;
  }

  private static ChannelKey stream(int partition) {
    return ChannelKey.stream(partition);
  }

  private String id(TunnelInfo tunnel, int partition) {
    return stream(partition).channelId(tunnel.tunnelId());
  }

  private static Seek seek(List<String> channels, StreamStart edge, Long timeMs, Long position) {
    return new Seek(
        "t",
        "n",
        channels,
        Optional.ofNullable(edge),
        Optional.ofNullable(timeMs),
        Optional.ofNullable(position),
        Optional.empty(),
        false);
  }

  private static Seek bring(CheckpointSet checkpoints, String... channels) {
    return new Seek(
        "t",
        "n",
        List.of(channels),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(checkpoints),
        false);
  }

  private static void requireRefused(ErrorCode code, String message, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void aSeekFencesHoldersAndNoStaleCheckpointUndoesIt() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    Assignment former = held(low);
    port.channels.get(former.handle()).credit(1 << 20);
    port.checkpoint(coordinator, new Checkpoint(former.handle(), former.epoch(), 5));
    assertThat(Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 2L)).moves())
        .containsExactly(new Move(id(tunnel, low), low, ChannelType.Stream, 5, 2));
    assertThat(port.fences).extracting(fence -> fence.handle()).containsExactly(former.handle());
    assertThat(held(low).checkpointed()).isEqualTo(2);
    assertThat(held(low).epoch()).isGreaterThan(former.epoch());
    requireRefused(
        ErrorCode.FENCED,
        "no longer held",
        () -> port.checkpoint(coordinator, new Checkpoint(former.handle(), former.epoch(), 6)));
    assertThat(at(tunnel, low)).isEqualTo(2);
  }

  @Test
  void aDryRunSaysWhatWouldHappenAndDoesNothing() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    int writes = store.writes();
    Seek dry =
        new Seek(
            "t",
            "n",
            List.of(),
            Optional.of(StreamStart.LATEST),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true);
    assertThat(Seeks.now(operators, dry).moves())
        .extracting(Move::from, Move::to)
        .containsExactly(tuple(0L, 6L), tuple(0L, 6L));
    assertThat(store.writes()).isEqualTo(writes);
    assertThat(port.fences).isEmpty();
    assertThat(at(tunnel, low)).isZero();
  }

  @Test
  void aSeekByTimeGoesInFrontOfTheFirstChangeAtOrAfterIt() throws IOException {
    TunnelInfo tunnel = earliest();
    Seeks.now(operators, seek(List.of(), null, 200L, null));
    assertThat(at(tunnel, low)).isEqualTo(3);
    Seeks.now(operators, seek(List.of(), null, 201L, null));
    assertThat(at(tunnel, high)).isEqualTo(6);
    Seeks.now(operators, seek(List.of(), null, 0L, null));
    assertThat(at(tunnel, high)).isZero();
    Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null));
    assertThat(at(tunnel, high)).isEqualTo(6);
  }

  @Test
  void aSeekBeyondEitherEndIsRefusedWithWhatIsValid() throws IOException {
    TunnelInfo tunnel = earliest();
    String channel = id(tunnel, low);
    String valid = "positions 0 to 6";
    requireRefused(
        ErrorCode.INVALID_POSITION,
        valid,
        () -> Seeks.now(operators, seek(List.of(channel), null, null, 7L)));
    requireRefused(
        ErrorCode.INVALID_POSITION,
        valid,
        () -> Seeks.now(operators, seek(List.of(channel), null, null, -1L)));
    requireRefused(
        ErrorCode.INVALID_POSITION,
        "to now, 1970-01-01T00:00:01Z, not 1970-01-01T00:00:01.001Z",
        () -> Seeks.now(operators, seek(List.of(), null, 1_001L, null)));
    requireRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        "no channel '9_x'",
        () -> Seeks.now(operators, seek(List.of("9_x"), StreamStart.LATEST, null, null)));
    Seeks.now(operators, seek(List.of(channel), null, null, 6L));
    Seeks.now(operators, seek(List.of(channel), null, null, 0L));
  }

  @Test
  void whatIsNoLongerKeptIsLostAndNotSkipped() throws IOException {
    TunnelInfo tunnel = earliest();
    log.seal();
    write(300);
    log.trim(Map.of(low, 4L), partition -> true, log.end());
    assertThat(log.firstPosition(low)).isEqualTo(7);
    String channel = id(tunnel, low);
    requireRefused(
        ErrorCode.HISTORY_LOST,
        "changes 4 to 6 are no longer kept; the channel of partition " + low,
        () -> Seeks.now(operators, seek(List.of(channel), null, null, 3L)));
    requireRefused(
        ErrorCode.HISTORY_LOST,
        "committed at 300",
        () -> Seeks.now(operators, seek(List.of(channel), null, 200L, null)));
    Seeks.now(operators, seek(List.of(channel), StreamStart.EARLIEST, null, null));
    assertThat(at(tunnel, low)).isEqualTo(6);
    Seeks.now(operators, seek(List.of(id(tunnel, high)), null, 100L, null));
    assertThat(at(tunnel, high)).as("all of it is kept").isZero();
    create(
        new CreateTunnel(
            "t",
            "late",
            TunnelType.Stream,
            StreamStart.EARLIEST,
            Optional.of(200L),
            Optional.empty()));
    surroundings.passBarriers();
    assertThat(failed)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST));
  }

  @Test
  void aSeekThatCannotBeStoredHasNotHappened() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    store.fail(true);
    assertThatThrownBy(() -> Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null)))
        .isInstanceOf(IOException.class);
    store.fail(false);
    assertThat(port.fences).isEmpty();
    assertThat(at(tunnel, low)).isZero();
  }

  @Test
  void checkpointsAreExportedBroughtBackAndCloned() throws IOException {
    TunnelInfo tunnel = earliest();
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 4L));
    CheckpointSet kept = operators.export(tunnel);
    assertThat(kept.channels())
        .extracting(ChannelPosition::partition, ChannelPosition::position)
        .containsExactly(tuple(low, 4L), tuple(high, 0L));
    Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null));
    int writes = store.writes();
    Seeks.now(operators, bring(kept));
    assertThat(store.writes()).as("in one write").isEqualTo(writes + 1);
    assertThat(at(tunnel, low)).isEqualTo(4);
    assertThat(at(tunnel, high)).isZero();
    Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null));
    Seeks.now(operators, bring(kept, id(tunnel, low)));
    assertThat(at(tunnel, high)).as("not named").isEqualTo(6);
  }

  @Test
  void anImportIsAllOrNothing() throws IOException {
    TunnelInfo tunnel = earliest();
    int id = table.tableId();
    ChannelPosition good = position(low, ChannelType.Stream, 3, Bytes.EMPTY);
    requireBad(tunnel, id + 1, "mean nothing in another", good);
    requireBad(tunnel, id, "does not have", good, position(99, ChannelType.Stream, 3, Bytes.EMPTY));
    requireBad(tunnel, id, "does not have", good, position(high, ChannelType.BaseData, 0, null));
    requireBad(tunnel, id, "twice", good, good);
    requireBad(tunnel, id, "name no channel");
    assertThatThrownBy(
            () ->
                Seeks.now(
                    operators,
                    bring(
                        new CheckpointSet(
                            id,
                            "t",
                            "n",
                            List.of(good, position(high, ChannelType.Stream, 7, Bytes.EMPTY))))))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_POSITION));
    assertThat(at(tunnel, low)).isZero();
  }

  private static ChannelPosition position(int partition, ChannelType type, long at, Bytes key) {
    return new ChannelPosition(partition, type, at, key, false);
  }

  private void requireBad(
      TunnelInfo tunnel, int tableId, String message, ChannelPosition... positions)
      throws IOException {
    long before = at(tunnel, low);
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        message,
        () ->
            Seeks.now(operators, bring(new CheckpointSet(tableId, "t", "n", List.of(positions)))));
    assertThat(at(tunnel, low)).isEqualTo(before);
  }

  @Test
  void aBaseChannelIsMovedByAnImportAloneAndBehindAKeyOfItsPartition() throws IOException {
    create(new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.EARLIEST));
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    TunnelInfo tunnel = created.get(0);
    String base = ChannelKey.base(low).channelId(tunnel.tunnelId());
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "carries base data",
        () -> Seeks.now(operators, seek(List.of(base), StreamStart.EARLIEST, null, null)));
    Bytes key = TestRows.keyBytes("c");
    for (ChannelPosition bad :
        List.of(
            position(low, ChannelType.BaseData, 3, Bytes.EMPTY),
            position(low, ChannelType.BaseData, 0, key),
            position(low, ChannelType.BaseData, 3, Bytes.fromHex("77")),
            position(high, ChannelType.BaseData, 3, key))) {
      requireBad(tunnel, table.tableId(), "partition", bad);
    }
    Seeks.now(
        operators,
        bring(
            new CheckpointSet(
                table.tableId(), "t", "n", List.of(position(low, ChannelType.BaseData, 3, key)))));
    assertThat(catalog.channel(tunnel.tunnelId(), ChannelKey.base(low)))
        .isEqualTo(ChannelState.startingAt(0).withProgress(3, key));
    Seeks.now(
        operators,
        bring(
            new CheckpointSet(
                table.tableId(),
                "t",
                "n",
                List.of(new ChannelPosition(low, ChannelType.BaseData, 3, key, true)))));
    assertThat(
            new TunnelCatalog(new Catalog(store))
                .channel(tunnel.tunnelId(), ChannelKey.base(low))
                .isFinished())
        .isTrue();
  }

  @Test
  void whatIsPausedIsAskedForAndGivenToNobodyAlsoAfterARestart() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    operators.pause(new ChannelSelection("t", "n", List.of(id(tunnel, low))), Asked.NAMELESS);
    assertThat(port.revocations)
        .extracting(revocation -> revocation.handle())
        .containsExactly(held(low).handle());
    operators.pause(new ChannelSelection("t", "n", List.of()), Asked.NAMELESS);
    assertThat(port.revocations).hasSize(2);
    port.held.clear();
    start();
    session(tunnel);
    assertThat(port.held).isEmpty();
    operators.resume(new ChannelSelection("t", "n", List.of()), Asked.NAMELESS);
    assertThat(port.held.values())
        .extracting(Assignment::partition)
        .as("what was paused by name is resumed by name")
        .containsExactly(high);
    operators.resume(new ChannelSelection("t", "n", List.of(id(tunnel, low))), Asked.NAMELESS);
    assertThat(port.held).hasSize(2);
    requireRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        "no channel 'x'",
        () -> operators.pause(new ChannelSelection("t", "n", List.of("x")), Asked.NAMELESS));
  }

  @Test
  void aSeekKeepsTheErrorAndAResumeClearsIt() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    coordinator.failed(
        held(low).handle(), port, new RefusedException(ErrorCode.CORRUPT, "unreadable"));
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 5L));
    assertThat(port.held).hasSize(1);
    operators.resume(new ChannelSelection("t", "n", List.of(id(tunnel, low))), Asked.NAMELESS);
    assertThat(held(low).checkpointed()).isEqualTo(5);
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).error()).isEmpty();
  }

  @Test
  void aSessionThatAnOperatorEndsIsToldSo() {
    TunnelInfo tunnel = earliest();
    String id = session(tunnel);
    requireRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        "its sessions are " + id,
        () -> operators.endSession(new EndSession("t", "n", "other")));
    operators.endSession(new EndSession("t", "n", id));
    assertThat(port.held).isEmpty();
    assertThat(port.overs)
        .extracting(over -> over.sessionId(), over -> over.code())
        .containsExactly(tuple(id, ErrorCode.SESSION_ENDED));
  }

  @Test
  void aTunnelStartsInFrontOfTheFirstChangeAtOrAfterAMoment() throws IOException {
    create(stream(StreamStart.EARLIEST, Optional.of(200L), Optional.empty()));
    assertThat(created).as("what is being written may belong before it").isEmpty();
    surroundings.passBarriers();
    assertThat(at(created.get(0), low)).isEqualTo(3);
    assertThat(at(created.get(0), high)).isEqualTo(3);
    requireRefused(
        ErrorCode.INVALID_POSITION,
        "to now",
        () ->
            create(
                new CreateTunnel(
                    "t",
                    "m",
                    TunnelType.Stream,
                    StreamStart.EARLIEST,
                    Optional.of(1_001L),
                    Optional.empty())));
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "before its start",
        () ->
            create(
                new CreateTunnel(
                    "t",
                    "m",
                    TunnelType.Stream,
                    StreamStart.LATEST,
                    Optional.empty(),
                    Optional.of(1_000L))));
  }

  @Test
  void aTunnelThatEndsInTheFutureEndsWhenTheMomentHasPassedAndShowsNothingBehindIt()
      throws IOException {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L)));
    TunnelInfo tunnel = created.get(0);
    session(tunnel);
    Assignment held = held(low);
    port.channels.get(held.handle()).credit(1 << 20);
    surroundings.nowMs = 2_000;
    write(2_000);
    assertThat(port.channels.get(held.handle()).delivered()).as("not the late ones").isEqualTo(6);
    coordinator.tick();
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).end()).isEmpty();
    start();
    port.held.clear();
    coordinator.tick();
    store.fail(true);
    surroundings.passBarriers();
    store.fail(false);
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).end()).contains(6L);
    session(tunnel);
    Assignment again = held(low);
    port.channels.get(again.handle()).credit(1 << 20);
    assertThat(port.ends).extracting(end -> end.position()).contains(6L);
    port.checkpoint(coordinator, new Checkpoint(again.handle(), again.epoch(), 6));
    coordinator.release(new ChannelRef(again.handle(), again.epoch()), port);
    assertThat(
            new TunnelCatalog(new Catalog(store))
                .channel(tunnel.tunnelId(), stream(low))
                .isFinished())
        .isTrue();
    requireRefused(
        ErrorCode.INVALID_POSITION,
        "positions 0 to 6",
        () -> Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 7L)));
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 1L));
    assertThat(held(low).checkpointed()).as("terminated no more").isEqualTo(1);
  }

  @Test
  void ofTwoCreationsOfOneNameOneIsRefusedAndItsRowsForgotten() {
    CreateTunnel request =
        new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.EARLIEST);
    create(request);
    create(request);
    surroundings.keeping.get(1).kept(Map.of(low, 4L, high, 5L));
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    assertThat(created).hasSize(1);
    assertThat(failed)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_EXISTS));
    assertThat(surroundings.forgotten).hasSize(1).doesNotContain(created.get(0).tunnelId());
    assertThat(catalog.channel(created.get(0).tunnelId(), stream(high)).checkpointed())
        .isEqualTo(5);
    assertThat(catalog.channel(created.get(0).tunnelId(), ChannelKey.base(high)).checkpointed())
        .isZero();
  }

  @Test
  void aTableThatIsDroppedMeanwhileHasNoTunnel() throws IOException {
    CreateTunnel request = new CreateTunnel("t", "n", TunnelType.BaseData, StreamStart.EARLIEST);
    create(request);
    catalog.tables().dropTable(table, Asked.NAMELESS);
    catalog.tables().createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0);
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    assertThat(failed)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
    assertThat(surroundings.forgotten).hasSize(1);
    assertThat(catalog.tunnels(Optional.empty())).isEmpty();
  }

  private static Asked asked(String id, String what) {
    return new Asked(Optional.of(id), what);
  }

  @Test
  void aCreationAndADeletionOfWhichNobodyKnowsAreNotDoneAgain() throws IOException {
    CreateTunnel request = new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST);
    Asked create = asked("1", "CREATE_TUNNEL t n");
    store.loseWord();
    create(request, create);
    assertThat(failed).singleElement().isInstanceOf(UnknownOutcomeException.class);
    start();
    create(request, create);
    assertThat(created).hasSize(1);
    assertThat(catalog.tunnels(Optional.empty())).containsExactlyElementsOf(created);
    Asked delete = asked("2", "DELETE_TUNNEL t n");
    store.loseWord();
    assertThatThrownBy(() -> operators.delete(new TunnelName("t", "n"), delete))
        .isInstanceOf(UnknownOutcomeException.class);
    start();
    operators.delete(new TunnelName("t", "n"), delete);
    create(request);
    operators.delete(new TunnelName("t", "n"), delete);
    assertThat(catalog.tunnels(Optional.empty())).as("of another creation").hasSize(1);
  }

  /** Behind the first seek a worker has checkpointed; a second one would undo that. */
  @Test
  void aSeekOfWhichNobodyKnowsIsAnsweredAndNotDoneAgain() throws IOException {
    TunnelInfo tunnel = earliest();
    Asked asked = asked("1", "SEEK t n");
    Seek seek = seek(List.of(id(tunnel, low)), null, null, 5L);
    store.loseWord();
    assertThatThrownBy(() -> Seeks.now(operators, seek, asked))
        .isInstanceOf(UnknownOutcomeException.class);
    start();
    catalog.store(tunnel.tunnelId(), Map.of(stream(low), ChannelState.startingAt(6)));
    SeekResult answer = Seeks.now(operators, seek, asked);
    assertThat(answer.moves()).hasSize(1);
    assertThat(answer.moves().get(0).to()).isEqualTo(5);
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).checkpointed()).isEqualTo(6);
  }

  @Test
  void aPauseThatComesAgainDoesNotUndoAResume() throws IOException {
    TunnelInfo tunnel = earliest();
    ChannelSelection all = new ChannelSelection("t", "n", List.of());
    Asked pause = asked("1", "PAUSE t n");
    operators.pause(all, pause);
    operators.resume(all, asked("2", "RESUME t n"));
    operators.pause(all, pause);
    assertThat(catalog.isPaused(tunnel.tunnelId())).isFalse();
  }
}
