package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.cluster.MovedService.Place;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A single server becomes a cluster, the cluster another one on another Kafka, and this one a
 * single server, each by a backup that is taken while a program writes and a worker consumes.
 * Program, writer and their numbers stay the same all the way.
 */
@Tag("proof-cluster")
class BackupCircleTest {

  /** Rounds of the load before a backup, and after it: the restored service lacks the latter. */
  private static final int ROUNDS = 60;

  private static final int ROUNDS_LOST = 20;
  private static final Duration READ = Duration.ofSeconds(60);

  @RegisterExtension final Stage stage = new Stage();

  private final Map<Integer, List<KnownPosition>> savepoints = new TreeMap<>();
  private MovedService service;
  private CircleLoad load;
  private RepeatedBatch repeated;
  private TunnelClient tunnels;
  private Channels channels;
  private Worker worker;

  /** A worker of one service, and where its channels began. */
  private record Worker(TunnelWorker worker, Recorder recorder, Map<Integer, Long> began) {}

  private Place.Kafka kafka(int nodes) throws IOException {
    KafkaBroker broker =
        stage.closing(
            KafkaBroker.start(stage.path("kafka"), Map.of("group.min.session.timeout.ms", "500")));
    return new Place.Kafka(broker.bootstrap(), nodes);
  }

  @Test
  void a_service_moves_from_server_to_cluster_to_cluster_to_server_under_load() throws Exception {
    service = new MovedService(stage);
    Place first = new Place.Directory(stage.path("first"));
    service.start(first);
    load = stage.closing(new CircleLoad(stage, service));
    repeated = new RepeatedBatch(service, load.tables());
    tunnels = stage.tunnels(service);
    var unusedTunnel =
        tunnels.createTunnel(
            new CreateTunnelRequest(
                CircleLoad.ROWS, "audit", TunnelType.Stream, StreamStart.EARLIEST));
    channels = new Channels(tunnels, CircleLoad.ROWS, "audit");
    startWorker();
    Place second = kafka(2);
    move(first, second);
    Place third = kafka(1);
    move(second, third);
    Place last = new Place.Directory(stage.path("last"));
    move(third, last);
    load.goOn();
    load.awaitRounds(ROUNDS);
    load.rest();
    var unused = requireHistories();
    endWorker();
    load.close();
    service.kill();
  }

  private void move(Place from, Place to) {
    load.goOn();
    load.awaitRounds(ROUNDS);
    repeated.next();
    channels.awaitProgress();
    Map<Integer, NavigableMap<Long, Mutation>> floor = load.acknowledged();
    Map<Integer, Long> progress = channels.checkpoints(ChannelType.Stream);
    service.backUp(from);
    load.awaitRounds(ROUNDS_LOST);
    load.rest();
    Map<String, Map<Integer, History>> former = requireHistories();
    endWorker();
    service.kill();
    service.restore(to);
    service.start(to);
    Map<Integer, Long> ends = requireRestored(former, floor);
    requireSavepoints(former.get(CircleLoad.ROWS), floor, ends);
    channels
        .checkpoints(ChannelType.Stream)
        .forEach(
            (partition, at) ->
                assertThat(at)
                    .as("the checkpoint of partition %d", partition)
                    .isBetween(progress.get(partition), ends.get(partition)));
    repeated.requireRecognised();
    load.forgetBehind(ends);
    requireNoBoundRows();
    requireExpired();
    startWorker();
  }

  private void startWorker() {
    Recorder recorder = new Recorder();
    Map<Integer, Long> began = channels.checkpoints(ChannelType.Stream);
    TunnelWorker made =
        new TunnelWorker(channels.tunnelId(), tunnels, new TunnelWorkerConfig(recorder));
    made.connectAndWorking();
    worker = new Worker(made, recorder, began);
  }

  /** The worker has processed each change behind its first checkpoint, in order. */
  private void endWorker() {
    Map<Integer, Long> ends = History.ends(load.tables(), CircleLoad.ROWS);
    channels.awaitBeyond(ends);
    worker.worker().shutdown();
    Map<Integer, List<Seen>> seen = new Sightings().add(worker.recorder().seen()).changes();
    Map<Integer, History> all = History.of(service, load.tables(), CircleLoad.ROWS);
    all.forEach(
        (partition, history) -> {
          long began = worker.began().get(partition);
          assertThat(seen.getOrDefault(partition, List.of()))
              .as("changes of partition %d behind %d", partition, began)
              .isEqualTo(
                  history.changes().stream().filter(each -> each.position() > began).toList());
        });
  }

  /** All changes of all tables: dense, and with all that was acknowledged. */
  private Map<String, Map<Integer, History>> requireHistories() {
    Map<String, Map<Integer, History>> all = new HashMap<>();
    Map<Integer, NavigableMap<Long, Mutation>> acknowledged = load.acknowledged();
    for (String table : CircleLoad.TABLES) {
      Map<Integer, History> histories = History.of(service, load.tables(), table);
      histories.forEach(
          (partition, history) -> {
            Map<Long, Mutation> found = new TreeMap<>();
            long next = 1;
            for (Seen seen : history.changes()) {
              assertThat(seen.position()).isEqualTo(next++);
              found.put(seen.position(), seen.mutation());
            }
            assertThat(found)
                .as("changes of partition %d of %s", partition, table)
                .containsAllEntriesOf(acknowledged.getOrDefault(partition, new TreeMap<>()));
          });
      all.put(table, histories);
    }
    requireWhole(all.get(CircleLoad.WHOLE));
    requireNumbersRise(all.get(CircleLoad.NUMBERED));
    for (String table : List.of(CircleLoad.ROWS, CircleLoad.WHOLE, CircleLoad.NUMBERED)) {
      List<Seen> changes = new ArrayList<>();
      all.get(table).values().forEach(history -> changes.addAll(history.changes()));
      assertThat(Ledger.rowsOf(load.tables(), table, RangeQuery.ALL))
          .as("rows of %s", table)
          .isEqualTo(Scene.fold(changes));
    }
    return all;
  }

  private static void requireWhole(Map<Integer, History> histories) {
    for (History history : histories.values()) {
      List<Seen> changes = history.changes();
      assertThat(changes.size() % CircleLoad.TOGETHER).as("rows of a cut batch").isZero();
      for (int i = 0; i < changes.size(); i += CircleLoad.TOGETHER) {
        assertThat(
                changes.subList(i, i + CircleLoad.TOGETHER).stream()
                    .map(each -> each.mutation().columns())
                    .distinct())
            .hasSize(1);
      }
    }
  }

  private static void requireNumbersRise(Map<Integer, History> histories) {
    for (History history : histories.values()) {
      long last = 0;
      for (Seen seen : history.changes()) {
        String key = seen.mutation().key();
        long number = Long.parseLong(key.substring(key.indexOf(',') + 1));
        assertThat(number).as("the number of %s", seen).isGreaterThan(last);
        last = number;
      }
    }
  }

  /**
   * The restored service has the former changes up to an end that is not before the backup, and
   * then only the ends of rows that nobody writes.
   *
   * @return the ends by partition
   */
  private Map<Integer, Long> requireRestored(
      Map<String, Map<Integer, History>> former, Map<Integer, NavigableMap<Long, Mutation>> floor) {
    Map<Integer, Long> ends = new TreeMap<>();
    Map<String, Map<Integer, History>> restored = new HashMap<>();
    for (String table : CircleLoad.TABLES) {
      restored.put(table, History.of(service, load.tables(), table));
    }
    restored.forEach(
        (table, histories) ->
            histories.forEach(
                (partition, history) -> {
                  List<Seen> before = former.get(table).get(partition).changes();
                  long end = sharedEnd(before, history.changes());
                  ends.put(partition, end);
                  assertThat(end)
                      .as("the end of partition %d of %s", partition, table)
                      .isGreaterThanOrEqualTo(floor.get(partition).lastKey());
                  List<Seen> since = history.changes().subList((int) end, (int) history.end());
                  if (table.equals(CircleLoad.BOUND) || table.equals(CircleLoad.EXPIRING)) {
                    assertThat(since).allMatch(each -> each.mutation().kind() == ChangeKind.DELETE);
                  } else {
                    assertThat(since).isEmpty();
                  }
                }));
    requireWhole(restored.get(CircleLoad.WHOLE));
    requireNumbersRise(restored.get(CircleLoad.NUMBERED));
    for (String table : List.of(CircleLoad.ROWS, CircleLoad.WHOLE, CircleLoad.NUMBERED)) {
      List<Seen> changes = new ArrayList<>();
      restored.get(table).values().forEach(history -> changes.addAll(history.changes()));
      assertThat(Ledger.rowsOf(load.tables(), table, RangeQuery.ALL))
          .as("rows of %s", table)
          .isEqualTo(Scene.fold(changes));
    }
    return ends;
  }

  /** The position of the last change before the first difference. */
  private static long sharedEnd(List<Seen> before, List<Seen> now) {
    int shared = 0;
    while (shared < Math.min(before.size(), now.size())
        && before.get(shared).equals(now.get(shared))) {
      shared++;
    }
    return shared;
  }

  /**
   * Readers that keep positions, as a job of Flink does in a savepoint: from before this backup and
   * from before each earlier one they go on, and from behind the backup they are refused.
   */
  private void requireSavepoints(
      Map<Integer, History> former,
      Map<Integer, NavigableMap<Long, Mutation>> floor,
      Map<Integer, Long> ends) {
    former.forEach(
        (partition, history) -> {
          long saved = floor.get(partition).lastKey();
          List<KnownPosition> all = savepoints.computeIfAbsent(partition, id -> new ArrayList<>());
          all.add(history.knownAt(saved));
          long end = ends.get(partition);
          for (KnownPosition known : all) {
            if (known.position() < end) {
              assertThat(next(partition, known))
                  .as("behind %s of partition %d", known, partition)
                  .isEqualTo(history.changes().get((int) known.position()).mutation());
            }
          }
          assertThat(history.end()).as("changes behind the backup").isGreaterThan(end);
          KnownPosition lost = history.knownAt(history.end());
          try (PartitionReader reader = going(partition, lost)) {
            RefusedException refused =
                catchThrowableOfType(RefusedException.class, () -> reader.poll(READ));
            assertThat(refused.code()).isEqualTo(ErrorCode.POSITION_REPLACED);
          }
        });
  }

  private PartitionReader going(int partition, KnownPosition at) {
    return History.going(service, load.tables().describeTable(CircleLoad.ROWS), partition, at);
  }

  private Mutation next(int partition, KnownPosition at) {
    try (PartitionReader reader = going(partition, at)) {
      return Mutation.of(reader.poll(READ).orElseThrow().records().get(0));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while reading", e);
    }
  }

  private Map<String, Map<String, String>> rows(String table) {
    return Ledger.rowsOf(load.tables(), table, RangeQuery.ALL);
  }

  /** A restore ends all sessions; the program hears so within a lease. */
  private void requireNoBoundRows() {
    Poll.until("the bound rows are gone", () -> rows(CircleLoad.BOUND).isEmpty());
    Poll.until("the session has ended", () -> !load.session().isOpen());
  }

  /** Each row was written once, and has one DELETE, which a sweep writes after the row's life. */
  private void requireExpired() {
    Poll.until("all rows have expired", () -> rows(CircleLoad.EXPIRING).isEmpty());
    Poll.until(
        "each row has its DELETE",
        () -> expiring(ChangeKind.DELETE).keySet().equals(expiring(ChangeKind.PUT).keySet()));
    assertThat(expiring(ChangeKind.DELETE)).isEqualTo(expiring(ChangeKind.PUT));
  }

  /** By key, how many changes of that kind the table of expiring rows had. */
  private Map<String, Integer> expiring(ChangeKind kind) {
    Map<String, Integer> counts = new TreeMap<>();
    for (History history : History.of(service, load.tables(), CircleLoad.EXPIRING).values()) {
      for (Seen seen : history.changes()) {
        if (seen.mutation().kind() == kind) {
          counts.merge(seen.mutation().key(), 1, Integer::sum);
        }
      }
    }
    return counts;
  }
}
