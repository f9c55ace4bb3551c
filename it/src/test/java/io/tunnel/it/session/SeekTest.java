package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WorkerSetup;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.CloneCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ImportCheckpointsRequest;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Progress that operators move while workers run, or bring back. */
@Tag("proof-service")
class SeekTest {

  private static final int PARTITIONS = 4;
  private static final int ROWS = 1_000;
  private static final int SEEKS = 4;

  /** Keeps a checkpoint under way at all times. */
  private static final Duration ALWAYS = Duration.ofMillis(1);

  private static final int LARGE_BYTES = 8_000;
  private static final int LARGE_ROWS = 60;
  private static final long RETENTION_BYTES = 100_000;
  private static final String CONFIG =
      "{\"log\":{\"shards\":1,\"segmentBytesMax\":65536,\"retentionCheckMs\":100}}";

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;

  @BeforeAll
  static void start() throws IOException {
    Path config = Files.writeString(STAGE.path("config.json"), CONFIG);
    server = STAGE.server("--config", config.toString());
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.code()).isEqualTo(code))
        .hasMessageContaining("can continue after positions");
  }

  private static Map<Integer, ChannelMove> move(Scene scene, SeekTunnelRequest seek) {
    return scene.tunnels().seekTunnel(seek).moves().stream()
        .collect(Collectors.toMap(ChannelMove::partition, Function.identity()));
  }

  @Test
  void a_rewind_by_time_delivers_everything_again_and_no_checkpoint_undoes_it() {
    Scene scene = new Scene(STAGE, server, PARTITIONS);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    WriterProcess writer = scene.writer();
    WorkerProcess one = scene.worker(tunnel, WorkerSetup.of("one", ALWAYS));
    WorkerProcess two = scene.worker(tunnel, WorkerSetup.of("two", ALWAYS));
    tunnel.awaitSpread(Map.of("one", 2, "two", 2));
    writer.awaitMoreApplied(ROWS);
    Poll.until("the first worker has seen something", () -> !one.seen().isEmpty());
    // Some change was committed in the first millisecond that is to come again.
    List<Seen> seen = one.seen();
    long moment = TimeUnit.MICROSECONDS.toMillis(seen.get(seen.size() / 2).commitMicros());
    writer.awaitMoreApplied(ROWS);
    tunnel.awaitBeyond(scene.committed());

    SeekTunnelRequest back = SeekTunnelRequest.toTime(scene.table(), "audit", moment);
    List<Long> epochs = tunnel.now().stream().map(ChannelInfo::epoch).toList();
    Map<Integer, ChannelMove> planned = move(scene, back.dryRun(true));
    assertThat(tunnel.now()).extracting(ChannelInfo::epoch).isEqualTo(epochs);
    assertThat(tunnel.now())
        .allMatch(channel -> channel.checkpointed() >= planned.get(channel.partition()).from());

    Map<Integer, ChannelMove> moved = move(scene, back);
    assertThat(tunnel.now()).extracting(ChannelInfo::epoch).doesNotContainAnyElementsOf(epochs);
    for (int i = 1; i < SEEKS; i++) {
      writer.awaitMoreApplied(ROWS / SEEKS);
      move(scene, back).forEach((id, each) -> assertThat(each.to()).isEqualTo(moved.get(id).to()));
    }
    Ledger ledger = new Ledger(writer.stop());
    tunnel.awaitDrained();
    one.stop();
    two.stop();

    List<Seen> all = Noted.inTurns(one, two);
    assertThat(ledger.requireConsumed(new Sightings().add(all))).isZero();
    Map<Seen, Integer> times = new HashMap<>();
    all.forEach(each -> times.merge(each, 1, Integer::sum));
    times.forEach((each, count) -> requireAgain(each, count, moved.get(each.partition()), moment));
    moved.forEach(
        (partition, move) -> {
          assertThat(move.to()).isEqualTo(planned.get(partition).to());
          assertThat(move.from()).isGreaterThan(move.to());
        });
  }

  private static void requireAgain(Seen seen, int count, ChannelMove move, long momentMs) {
    boolean isBefore = seen.commitMicros() < momentMs * 1_000;
    assertThat(seen.position() <= move.to())
        .as("%s is in front of %s", seen, move)
        .isEqualTo(isBefore);
    if (isBefore) {
      assertThat(count).as("%s", seen).isEqualTo(1);
    } else if (seen.position() <= move.from()) {
      assertThat(count).as("%s came again", seen).isGreaterThan(1);
    }
  }

  @Test
  void a_skip_leaves_out_what_no_processor_has_and_nothing_that_comes_later() {
    Scene scene = new Scene(STAGE, server, PARTITIONS);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    WriterProcess writer = scene.writer();
    WorkerSetup setup = WorkerSetup.of("worker", ALWAYS).withCredit(1);
    WorkerProcess worker = scene.worker(tunnel, setup.withRowsFree(ROWS)).awaitHeld();
    writer.awaitMoreApplied(ROWS);
    int written = new Ledger(writer.stop()).count(Outcome.APPLIED);
    Map<Integer, Long> committed = scene.committed();
    Map<Integer, Long> epochs =
        tunnel.now().stream().collect(Collectors.toMap(ChannelInfo::partition, ChannelInfo::epoch));
    Map<Integer, ChannelMove> moved =
        move(scene, SeekTunnelRequest.toLatest(scene.table(), "audit"));
    moved.forEach((id, move) -> assertThat(move.to()).isEqualTo(committed.get(id)));
    worker.goOn();
    scene.fill(10, 10);
    tunnel.awaitDrained();
    worker.stop();

    List<Noted> noted = worker.noted();
    assertThat(noted.size()).isLessThan(written);
    assertThat(noted)
        .filteredOn(each -> each.epoch() > epochs.get(each.seen().partition()))
        .allMatch(each -> each.seen().position() > moved.get(each.seen().partition()).to());
    assertThat(noted)
        .filteredOn(each -> each.seen().position() > moved.get(each.seen().partition()).to())
        .hasSize(10 * PARTITIONS)
        .doesNotHaveDuplicates();
  }

  @Test
  void what_is_beyond_either_end_is_refused_and_the_ends_are_not() {
    Scene scene = new Scene(STAGE, server, 1);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    WorkerProcess worker = scene.worker(tunnel, "worker");
    scene.fill(LARGE_ROWS, LARGE_BYTES);
    tunnel.awaitDrained();
    OptionsChange keepLittle = new OptionsChange().withRetentionBytes(RETENTION_BYTES);
    assertThat(scene.tables().alterTable(scene.table(), keepLittle)).isNotNull();
    Poll.until("changes beyond the limit go", () -> scene.firstPosition() > 1);
    assertThat(scene.tables().alterTable(scene.table(), new OptionsChange().withRetentionBytes(0)))
        .isNotNull();
    ChannelInfo channel = tunnel.now().get(0);
    assertThat(channel.checkpointed()).isEqualTo(LARGE_ROWS);

    assertRefused(ErrorCode.INVALID_POSITION, () -> moveTo(scene, channel, LARGE_ROWS + 1));
    assertRefused(ErrorCode.INVALID_POSITION, () -> moveTo(scene, channel, -1));
    assertRefused(ErrorCode.HISTORY_LOST, () -> moveTo(scene, channel, 0));
    assertThatThrownBy(() -> move(scene, SeekTunnelRequest.toTime(scene.table(), "audit", 1_000)))
        .hasMessageContaining("are no longer kept");
    assertThat(tunnel.now().get(0).epoch()).isEqualTo(channel.epoch());

    ChannelMove back =
        move(scene, SeekTunnelRequest.toEarliest(scene.table(), "audit")).get(channel.partition());
    assertThat(back.to()).isEqualTo(scene.firstPosition() - 1).isPositive();
    tunnel.awaitDrained();
    List<Seen> seen = worker.stop();
    assertThat(seen).hasSize((int) (LARGE_ROWS + LARGE_ROWS - back.to()));
    assertThat(seen.get(LARGE_ROWS).position()).isEqualTo(back.to() + 1);
    assertThat(new Sightings().add(seen).count()).isEqualTo(LARGE_ROWS);
  }

  private static Map<Integer, ChannelMove> moveTo(Scene scene, ChannelInfo channel, long position) {
    return move(
        scene,
        SeekTunnelRequest.toPosition(scene.table(), "audit", channel.getChannelId(), position));
  }

  @Test
  void a_tunnel_that_is_made_anew_goes_on_where_its_exported_progress_was() {
    Scene scene = new Scene(STAGE, server, PARTITIONS);
    scene.fill(150, 2_000);
    WriterProcess writer = scene.writer();
    writer.awaitMoreApplied(ROWS);
    Channels tunnel = scene.tunnel("audit", TunnelType.BaseAndStream);
    Map<Integer, Long> created = tunnel.checkpoints(ChannelType.Stream);
    WorkerSetup setup = WorkerSetup.of("first", Scene.OFTEN).withCredit(32 * 1024);
    WorkerProcess first = scene.worker(tunnel, setup.withRowsFree(150)).awaitHeld();
    Poll.until(
        "a checkpoint in the middle of base data",
        () -> tunnel.checkpoints(ChannelType.BaseData).values().stream().anyMatch(at -> at > 0));
    List<Seen> ofFirst = first.kill();
    Poll.until(
        "nobody holds it", () -> tunnel.now().stream().allMatch(c -> c.getClientId() == null));
    Map<Integer, Long> rows = tunnel.checkpoints(ChannelType.BaseData);
    CheckpointSet exported =
        scene
            .tunnels()
            .exportCheckpoints(new ExportCheckpointsRequest(scene.table(), "audit"))
            .checkpoints();
    assertThat(scene.tunnels().deleteTunnel(new DeleteTunnelRequest(scene.table(), "audit")))
        .isNotNull();
    writer.awaitMoreApplied(ROWS);
    Channels again = scene.tunnel("audit", TunnelType.BaseAndStream);
    ImportCheckpointsRequest back =
        new ImportCheckpointsRequest(scene.table(), "audit", exported, false);
    assertThat(scene.tunnels().importCheckpoints(back).moves()).hasSize(2 * PARTITIONS);
    assertThat(again.checkpoints(ChannelType.BaseData)).isEqualTo(rows);
    assertThat(again.checkpoints(ChannelType.Stream)).isEqualTo(created);

    WorkerProcess second = scene.worker(again, "second");
    again.awaitTerminated(ChannelType.BaseData);
    Ledger ledger = new Ledger(writer.stop());
    again.awaitDrained(ChannelType.Stream);
    List<Seen> ofSecond = second.stop();
    assertThat(Seen.only(ChannelType.BaseData, ofSecond))
        .isNotEmpty()
        .allMatch(row -> row.position() > rows.get(row.partition()));
    Sightings stream = new Sightings().add(Seen.only(ChannelType.Stream, ofSecond));
    assertThat(stream.repeated()).isZero();
    assertThat(ledger.behind(created).requireConsumed(stream)).isZero();
    Map<String, Map<String, String>> folded = Scene.fold(ofFirst);
    ofSecond.forEach(seen -> seen.mutation().applyTo(folded));
    assertThat(folded).isEqualTo(scene.rows());

    Channels copy = scene.tunnel("copy", TunnelType.BaseAndStream);
    CloneCheckpointsRequest clone =
        new CloneCheckpointsRequest(scene.table(), "audit", "copy", false);
    assertThat(scene.tunnels().cloneCheckpoints(clone).moves()).hasSize(2 * PARTITIONS);
    scene.fill(3, 10);
    WorkerProcess third = scene.worker(copy, "third");
    copy.awaitDrained(ChannelType.Stream);
    assertThat(third.stop()).hasSize(3 * PARTITIONS).allMatch(Seen::isStream);
  }
}
