package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.contract.WireContract;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients work with three nodes as with one server, whichever nodes they know. */
@Tag("proof-nodes")
class ClusterLifeTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 12;
  private static final int ROWS = 3_000;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster(STAGE, NODES).start(NODES);
  }

  /** Writes rows of all partitions through a client that was told of one node only. */
  private static Ledger write(NodeProcess node, TestTable table, long seed) {
    List<Written> written = Collections.synchronizedList(new ArrayList<>());
    SplittableRandom random = new SplittableRandom(seed);
    try (TableClient client = TableClient.connect(node.endpoint());
        TableWriter writer = client.openWriter(table.name(), TableWriterConfig.DEFAULTS)) {
      for (int i = 0; i < ROWS; i++) {
        long sequence = i;
        RowChange row = table.change(random, sequence);
        writer.add(row, (r, result) -> written.add(Written.of(sequence, Mutation.of(r), result)));
      }
    }
    return new Ledger(written);
  }

  @Test
  void what_is_written_through_any_node_is_consumed_in_order_and_read_through_any_other() {
    Scene scene = new Scene(STAGE, cluster, PARTITIONS);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    WorkerProcess one = scene.worker(tunnel, "one");
    WorkerProcess two = scene.worker(tunnel, "two");
    tunnel.awaitSpread(Map.of("one", PARTITIONS / 2, "two", PARTITIONS / 2));
    // Writers of all three nodes follow each other, so each partition has changes of each node.
    List<Ledger> ledgers = new ArrayList<>();
    for (NodeProcess node : cluster.running()) {
      ledgers.add(write(node, scene.testTable(), ledgers.size()));
    }
    tunnel.awaitDrained();
    one.stop();
    two.stop();

    Sightings sightings = new Sightings().add(Noted.inTurns(one, two));
    assertThat(sightings.repeated()).isZero();
    assertThat(sightings.count()).isEqualTo(NODES * ROWS);
    ledgers.forEach(ledger -> assertThat(ledger.count(Outcome.APPLIED)).isEqualTo(ROWS));
    requireSeen(ledgers, sightings);
    for (NodeProcess node : cluster.running()) {
      TableClient client = STAGE.tables(node);
      Ledger.requireTable(client, scene.table(), sightings);
      requireEach(client, scene.table(), sightings.rows());
      requireDescribed(client, scene.table(), sightings.rows().size());
    }
  }

  /** The node that coordinates the tunnel says how long. */
  @Test
  void a_session_is_told_how_long_its_node_may_be_silent() {
    Channels tunnel = new Scene(STAGE, cluster, 1).tunnel("silence", TunnelType.Stream);
    byte[] open =
        Json.encode(
            new SessionControl.OpenSession(tunnel.tunnelId(), "raw", WireContract.LEASE_MS, 0));
    List<Long> told = new ArrayList<>();
    for (NodeProcess node : cluster.running()) {
      try (RawClient client = RawClient.greeted(node.directPort())) {
        Frame answer = client.ask(Operation.OPEN_SESSION.code(), open);
        if (answer.kind() == FrameKind.RESPONSE) {
          told.add(Json.decode(answer.payload(), SessionControl.SessionOpened.class).silenceMs());
        }
      }
    }
    assertThat(told).containsExactly((long) Cluster.SESSION_MS);
  }

  private static void requireSeen(List<Ledger> ledgers, Sightings sightings) {
    Map<List<Long>, Mutation> acknowledged = new HashMap<>();
    for (Ledger ledger : ledgers) {
      for (Written row : ledger.with(Outcome.APPLIED)) {
        acknowledged.put(List.of((long) row.partition(), row.position()), row.mutation());
      }
    }
    Map<List<Long>, Mutation> seen = new HashMap<>();
    sightings
        .changes()
        .values()
        .forEach(
            all ->
                all.forEach(
                    each ->
                        seen.put(
                            List.of((long) each.partition(), each.position()), each.mutation())));
    assertThat(seen).isEqualTo(acknowledged);
  }

  /** Every row by its key. */
  private static void requireEach(
      TableClient client, String table, Map<String, Map<String, String>> rows) {
    for (var row : client.getRange(table, RangeQuery.ALL)) {
      assertThat(client.getRow(table, row.primaryKey())).contains(row);
      assertThat(Mutation.columnsOf(row)).isEqualTo(rows.get(Mutation.text(row.primaryKey())));
    }
  }

  private static void requireDescribed(TableClient client, String table, int rows) {
    List<PartitionInfo> partitions = client.describeTable(table).partitions();
    Map<String, Integer> ledBy = new TreeMap<>();
    partitions.forEach(partition -> ledBy.merge(partition.leader().orElseThrow(), 1, Integer::sum));
    Map<String, Integer> even = new TreeMap<>();
    cluster.running().forEach(node -> even.put(node.endpoint(), PARTITIONS / NODES));
    assertThat(ledBy).isEqualTo(even);
    assertThat(partitions.stream().mapToLong(p -> p.figures().orElseThrow().rowCount()).sum())
        .isEqualTo(rows);
  }

  @Test
  void rows_and_changes_are_delivered_by_the_nodes_that_lead_them() {
    Scene scene = new Scene(STAGE, cluster, PARTITIONS);
    Ledger before = write(cluster.node(0), scene.testTable(), 1);
    Map<String, Map<String, String>> rows = scene.rows();
    Channels base = scene.tunnel("base", TunnelType.BaseData);
    Channels both = scene.tunnel("both", TunnelType.BaseAndStream);
    // The leaders have kept the rows: base data has none of these changes.
    Ledger after = write(cluster.node(1), scene.testTable(), 2);
    WorkerProcess ofBase = scene.worker(base, "base");
    WorkerProcess ofBoth = scene.worker(both, "both");
    base.awaitTerminated(ChannelType.BaseData);
    both.awaitTerminated(ChannelType.BaseData);
    Channels stream = scene.tunnel("stream", TunnelType.Stream);
    WorkerProcess ofStream = scene.worker(stream, "stream");
    both.awaitDrained(ChannelType.Stream);
    stream.awaitDrained();

    assertThat(Scene.fold(ofBase.stop())).isEqualTo(rows);
    List<Seen> seen = ofBoth.stop();
    assertThat(Scene.fold(Seen.only(ChannelType.BaseData, seen))).isEqualTo(rows);
    Sightings changes = new Sightings().add(Seen.only(ChannelType.Stream, seen));
    assertThat(after.requireConsumed(changes)).isZero();
    assertThat(changes.count()).isEqualTo(ROWS);
    assertThat(Scene.fold(seen)).isEqualTo(scene.rows());
    Sightings all = new Sightings().add(ofStream.stop());
    assertThat(all.repeated() + changes.repeated()).isZero();
    requireSeen(List.of(before, after), all);
  }

  @Test
  void a_tunnel_is_moved_back_and_everything_behind_that_comes_again() {
    Scene scene = new Scene(STAGE, cluster, PARTITIONS);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    WorkerProcess worker = scene.worker(tunnel, "worker");
    Ledger ledger = write(cluster.node(0), scene.testTable(), 1);
    tunnel.awaitDrained();
    var moves =
        scene.tunnels().seekTunnel(SeekTunnelRequest.toEarliest(scene.table(), "audit")).moves();
    assertThat(moves).hasSize(PARTITIONS);
    tunnel.awaitDrained();
    Sightings sightings = new Sightings().add(worker.stop());
    assertThat(ledger.requireConsumed(sightings)).isZero();
    assertThat(sightings.count()).isEqualTo(ROWS);
    assertThat(sightings.repeated()).isEqualTo(ROWS);
  }

  @Test
  void a_table_that_was_dropped_is_gone_on_every_node_and_its_name_is_free() {
    Scene scene = new Scene(STAGE, cluster, PARTITIONS);
    var unused = write(cluster.node(0), scene.testTable(), 1);
    List<TableClient> clients = cluster.running().stream().map(STAGE::tables).toList();
    clients.get(0).dropTable(scene.table());
    for (TableClient client : clients) {
      Poll.until(
          "a node that has heard of the drop", () -> !client.listTables().contains(scene.table()));
      assertThatThrownBy(() -> client.describeTable(scene.table()))
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
    }
    var again = scene.testTable().create(clients.get(1));
    assertThat(again.partitions()).hasSize(PARTITIONS);
    assertThat(scene.rows()).isEmpty();
    RowResult row =
        clients
            .get(2)
            .tryWrite(scene.table(), List.of(TestTable.put(1, "new", 1)))
            .results()
            .get(0);
    assertThat(row.isApplied()).as("%s", row).isTrue();
    assertThat(scene.rows()).hasSize(1);
  }

  @Test
  void a_second_node_of_the_same_name_is_refused_and_nobody_notices() {
    long generation = Cluster.seenBy(cluster.node(0)).generation();
    NodeProcess twin = cluster.stranger(STAGE, cluster.node(1).name(), STAGE.path("twin"));
    twin.begin();
    assertThat(twin.child().awaitExit()).isNotZero();
    assertThat(twin.child().transcript())
        .contains("node " + cluster.node(1).name() + " is a member of cluster it already");
    assertThat(Cluster.seenBy(cluster.node(0)).generation()).isEqualTo(generation);
  }

  @Test
  void a_second_node_on_the_same_directory_is_refused() {
    NodeProcess squatter = cluster.stranger(STAGE, "squatter", cluster.node(1).data());
    squatter.begin();
    assertThat(squatter.child().awaitExit()).isNotZero();
    assertThat(squatter.child().transcript()).contains("is in use by another server");
    cluster.awaitWhole();
  }
}
