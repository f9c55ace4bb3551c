package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.tunnel.ChannelInfo;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tunnels that deliver the rows that exist, and the changes since, while a writer goes on. */
@Tag("proof-service")
class BaseDataTest {

  private static final int PARTITIONS = 4;
  private static final int ROWS = 1_000;

  /** Several deliveries to each channel, at the credit below. */
  private static final int FILLERS = 150;

  private static final int FILLER_BYTES = 2_000;
  private static final int SMALL_CREDIT_BYTES = 32 * 1024;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = STAGE.server();
  }

  /** The stream of each partition waits until its base data is finished, and nobody holds it. */
  private static void requireOrder(Channels tunnel) {
    List<ChannelInfo> channels = tunnel.now();
    for (ChannelInfo stream : channels) {
      for (String other : stream.waitsFor()) {
        assertThat(stream.getChannelType()).isEqualTo(ChannelType.Stream);
        assertThat(stream.getChannelStatus()).as("%s", stream).isEqualTo(ChannelStatus.WAIT);
        assertThat(channels)
            .filteredOn(channel -> channel.getChannelId().equals(other))
            .allMatch(channel -> channel.getChannelStatus() != ChannelStatus.TERMINATED)
            .hasSize(1);
      }
    }
  }

  /** Rows of each partition come in the order of their keys, counted from 1. */
  private static void requireCounted(List<Seen> rows) {
    assertThat(rows)
        .extracting(Seen::position)
        .isEqualTo(LongStream.rangeClosed(1, rows.size()).boxed().toList());
    assertThat(rows).extracting(seen -> seen.mutation().key()).doesNotHaveDuplicates();
  }

  @Test
  void base_data_is_exactly_the_rows_of_the_creation_whatever_is_written_meanwhile() {
    Scene scene = new Scene(STAGE, server, PARTITIONS);
    WriterProcess writer = scene.writer();
    writer.awaitMoreApplied(ROWS);
    Map<Integer, Long> before = scene.committed();
    Channels tunnel = scene.tunnel("rows", TunnelType.BaseData);
    Map<Integer, Long> after = scene.committed();
    writer.awaitMoreApplied(ROWS);
    WorkerProcess one = scene.worker(tunnel, "one");
    WorkerProcess two = scene.worker(tunnel, "two");
    tunnel.awaitTerminated(ChannelType.BaseData);
    writer.awaitMoreApplied(ROWS);
    for (ChannelInfo channel : tunnel.now()) {
      assertThat(channel.end()).hasValue(channel.checkpointed());
      assertThat(channel.getClientId()).isNull();
    }
    Poll.until(
        "each channel's processor learns of the end",
        () -> one.told("ended") + two.told("ended") >= PARTITIONS);
    one.stop();
    two.stop();
    assertThat(one.told("ended") + two.told("ended")).isEqualTo(PARTITIONS);
    assertThat(one.told("revoked") + two.told("revoked")).isZero();

    Ledger ledger = new Ledger(writer.stop());
    Sightings sightings = new Sightings().add(Noted.inTurns(one, two));
    assertThat(sightings.repeated()).isZero();
    assertThat(sightings.changes()).hasSize(PARTITIONS);
    sightings
        .changes()
        .forEach(
            (partition, rows) -> {
              requireCounted(rows);
              assertThat(
                      ledger.held(
                          Scene.fold(rows), partition, before.get(partition), after.get(partition)))
                  .as("partition %d held just %s at a moment of the creation", partition, rows)
                  .isTrue();
            });
  }

  @Test
  void when_a_worker_is_killed_half_way_another_goes_on_without_losing_a_row() {
    Scene scene = new Scene(STAGE, server, PARTITIONS);
    scene.fill(FILLERS, FILLER_BYTES);
    Map<String, Map<String, String>> rows = scene.rows();
    Channels tunnel = scene.tunnel("rows", TunnelType.BaseData);
    WriterProcess writer = scene.writer();
    WorkerSetup setup = WorkerSetup.of("first", Scene.OFTEN).withCredit(SMALL_CREDIT_BYTES);
    WorkerProcess first = scene.worker(tunnel, setup.withRowsFree(FILLERS)).awaitHeld();
    Poll.until(
        "a checkpoint in the middle",
        () -> tunnel.now().stream().anyMatch(channel -> channel.checkpointed() > 0));
    Map<Integer, Long> checkpoints = tunnel.checkpoints();
    List<Seen> ofFirst = first.kill();
    writer.awaitMoreApplied(ROWS);
    WorkerProcess second = scene.worker(tunnel, "second");
    tunnel.awaitTerminated(ChannelType.BaseData);
    List<Seen> ofSecond = second.stop();

    assertThat(ofFirst.size()).isPositive().isLessThan(rows.size());
    assertThat(ofSecond)
        .allMatch(seen -> seen.position() > checkpoints.get(seen.partition()), "is not done yet");
    Sightings sightings = new Sightings().add(ofFirst).add(ofSecond);
    sightings.changes().values().forEach(BaseDataTest::requireCounted);
    assertThat(sightings.rows()).isEqualTo(rows);
    assertThat(new Ledger(writer.stop()).count(Outcome.APPLIED)).isPositive();
  }

  @Test
  void base_and_stream_are_each_row_once_and_then_each_later_change_once() {
    Scene scene = new Scene(STAGE, server, PARTITIONS);
    WriterProcess writer = scene.writer();
    writer.awaitMoreApplied(ROWS);
    Channels tunnel = scene.tunnel("all", TunnelType.BaseAndStream);
    Map<Integer, Long> created = tunnel.checkpoints(ChannelType.Stream);
    writer.awaitMoreApplied(ROWS);
    WorkerProcess one = scene.worker(tunnel, "one");
    WorkerProcess two = scene.worker(tunnel, "two");
    tunnel.awaitTerminated(ChannelType.BaseData);
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = new Ledger(writer.stop());
    tunnel.awaitDrained(ChannelType.Stream);
    one.stop();
    two.stop();

    List<Seen> all = Noted.inTurns(one, two);
    Sightings base = new Sightings().add(Seen.only(ChannelType.BaseData, all));
    Sightings stream = new Sightings().add(Seen.only(ChannelType.Stream, all));
    assertThat(base.repeated()).isZero();
    assertThat(stream.repeated()).isZero();
    base.changes().values().forEach(BaseDataTest::requireCounted);
    created.forEach(
        (partition, at) ->
            assertThat(ledger.held(Scene.fold(base.changes().get(partition)), partition, at, at))
                .as("partition %d held just that at %d: %s", partition, at, base.changes())
                .isTrue());
    Ledger later = ledger.behind(created);
    assertThat(later.requireConsumed(stream)).isZero();
    assertThat(stream.count()).isEqualTo(later.count(Outcome.APPLIED));
    requireBaseFirst(all);
    assertThat(Scene.fold(all)).isEqualTo(scene.rows());
  }

  private static void requireBaseFirst(List<Seen> all) {
    Map<Integer, Long> streams = new TreeMap<>();
    for (Seen seen : all) {
      if (seen.isStream()) {
        streams.put(seen.partition(), seen.position());
      } else {
        assertThat(streams).as("streams begun before %s", seen).doesNotContainKey(seen.partition());
      }
    }
  }

  @Test
  void a_server_that_is_killed_amid_base_and_stream_goes_on_and_nothing_is_missing() {
    ServerProcess fragile = STAGE.server();
    Scene scene = new Scene(STAGE, fragile, PARTITIONS);
    WriterProcess writer = scene.writer();
    scene.fill(FILLERS, FILLER_BYTES);
    Channels tunnel = scene.tunnel("all", TunnelType.BaseAndStream);
    Map<Integer, Long> created = tunnel.checkpoints(ChannelType.Stream);
    WorkerSetup setup = WorkerSetup.of("worker", Scene.OFTEN).withCredit(SMALL_CREDIT_BYTES);
    WorkerProcess worker = scene.worker(tunnel, setup.withRowsFree(FILLERS)).awaitHeld();
    Poll.until(
        "a checkpoint in the middle of base data",
        () -> tunnel.checkpoints(ChannelType.BaseData).values().stream().anyMatch(at -> at > 0));
    requireOrder(tunnel);
    Map<Integer, Long> checkpoints = tunnel.checkpoints(ChannelType.BaseData);
    assertThat(tunnel.now())
        .filteredOn(channel -> channel.getChannelType() == ChannelType.BaseData)
        .anyMatch(channel -> channel.getChannelStatus() != ChannelStatus.TERMINATED);

    fragile.kill();
    fragile.start();
    assertThat(tunnel.checkpoints(ChannelType.Stream)).isEqualTo(created);
    requireOrder(tunnel);
    worker.goOn();
    writer.awaitMoreApplied(ROWS);
    tunnel.awaitTerminated(ChannelType.BaseData);
    Poll.until(
        "a checkpoint in the middle of the stream",
        () -> !tunnel.checkpoints(ChannelType.Stream).equals(created));

    fragile.kill();
    fragile.start();
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = new Ledger(writer.stop());
    tunnel.awaitDrained(ChannelType.Stream);
    List<Seen> all = worker.stop();

    requireBaseFirst(all);
    assertThat(Scene.fold(all)).isEqualTo(scene.rows());
    assertThat(Seen.only(ChannelType.BaseData, all))
        .filteredOn(row -> row.position() <= checkpoints.get(row.partition()))
        .as("rows that were checkpointed when the server died")
        .isNotEmpty()
        .doesNotHaveDuplicates();
    Sightings stream = new Sightings().add(Seen.only(ChannelType.Stream, all));
    int applied = ledger.behind(created).requireConsumed(stream);
    assertThat(applied).isLessThanOrEqualTo(ledger.count(Outcome.IN_DOUBT));
  }
}
