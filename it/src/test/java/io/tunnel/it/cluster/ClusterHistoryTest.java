package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tunnels that are far behind, at the only node of a cluster, which keeps few changes itself. */
@Tag("proof-nodes")
class ClusterHistoryTest {

  private static final int SESSION_MS_MIN = 500;
  private static final int PARTITIONS = 2;
  private static final int BATCHES = 100;
  private static final int ROWS = 40;
  private static final int KEYS = 100;
  private static final int LOCAL_BYTES = 65_536;
  private static final String CONFIG =
      "{\"log\":{\"shards\":1,\"segmentBytesMax\":65536,\"retentionCheckMs\":100,"
          + "\"replicas\":{\"history\":{\"localBytesMax\":65536,\"readBytesMax\":65536,"
          + "\"heldBytesMax\":131072}}}}";

  @RegisterExtension static final Stage STAGE = new Stage();

  @TempDir private Path directory;

  private ServerProcess node() throws Exception {
    KafkaBroker broker =
        STAGE.closing(
            KafkaBroker.start(
                directory.resolve("kafka"),
                Map.of("group.min.session.timeout.ms", "" + SESSION_MS_MIN)));
    List<String> options = new ArrayList<>(List.of("--log", "kafka", "--node", "n1"));
    options.addAll(List.of("--bootstrap", broker.bootstrap(), "--replication", "1"));
    options.addAll(List.of("--standbys", "0", "--session-ms", "1000"));
    Path config = Files.writeString(directory.resolve("config.json"), CONFIG);
    options.addAll(List.of("--config", config.toString()));
    return new ServerProcess(STAGE, directory.resolve("data"), options).start();
  }

  /** Overwrites rows of both partitions many times. */
  private static List<Mutation> write(Scene scene) {
    List<Mutation> written = new ArrayList<>();
    for (int batch = 0; batch < BATCHES; batch++) {
      List<RowChange> rows = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        long number = batch * (long) ROWS + row;
        long hash = row % PARTITIONS * (long) TestTable.HASHES_PER_PARTITION + 1;
        rows.add(
            new RowPutChange(
                TestTable.key(hash, "key" + number % KEYS),
                List.of(
                    new Column("v", ColumnValue.fromLong(number)),
                    new Column("text", ColumnValue.fromString("x".repeat(200))))));
      }
      scene.tables().write(scene.table(), rows);
      rows.forEach(row -> written.add(Mutation.of(row)));
    }
    return written;
  }

  private static double figure(ServerProcess node, String name) {
    Matcher line =
        Pattern.compile("^" + name + " (\\S+)$", Pattern.MULTILINE)
            .matcher(node.http("/metrics", 200));
    assertThat(line.find()).as(name).isTrue();
    return Double.parseDouble(line.group(1));
  }

  /** A worker receives exactly the written changes, in order. */
  private static void requireAll(List<Mutation> written, Scene scene, Channels tunnel) {
    Recorder recorder = new Recorder();
    TunnelWorker worker =
        new TunnelWorker(tunnel.tunnelId(), scene.tunnels(), new TunnelWorkerConfig(recorder));
    worker.connectAndWorking();
    try {
      Poll.until("everything is delivered", () -> recorder.count() >= written.size());
    } finally {
      worker.shutdown();
    }
    Sightings sightings = new Sightings().add(recorder.seen());
    assertThat(sightings.count()).isEqualTo(written.size());
    assertThat(sightings.repeated()).isZero();
    for (List<Seen> changes : sightings.changes().values()) {
      String hash = changes.get(0).mutation().key().split(",", 2)[0] + ",";
      assertThat(changes.stream().map(Seen::mutation).toList())
          .isEqualTo(written.stream().filter(each -> each.key().startsWith(hash)).toList());
    }
    assertThat(sightings.rows()).isEqualTo(scene.rows());
  }

  @Test
  void a_tunnel_far_behind_gets_what_the_node_has_no_more_also_when_the_node_lost_everything()
      throws Exception {
    ServerProcess node = node();
    Scene scene = new Scene(STAGE, node, PARTITIONS);
    Channels slow = scene.tunnel("slow", TunnelType.Stream);
    Channels slower = scene.tunnel("slower", TunnelType.Stream);
    List<Mutation> written = write(scene);
    Poll.until(
        "the node keeps few changes", () -> figure(node, "tunnel_log_bytes") < 3 * LOCAL_BYTES);
    assertThat(figure(node, "tunnel_node_history_reads_total")).isZero();
    requireAll(written, scene, slow);
    assertThat(figure(node, "tunnel_node_history_bytes_total")).isGreaterThan(10 * LOCAL_BYTES);

    node.kill();
    Stage.delete(node.data());
    node.begin();
    node.awaitReady();
    Poll.until(
        "the node has read everything again",
        () ->
            figure(node, "tunnel_node_leads") == PARTITIONS
                && figure(node, "tunnel_log_bytes") < 3 * LOCAL_BYTES);
    requireAll(written, scene, slower);
    assertThat(figure(node, "tunnel_node_history_reads_total")).isPositive();
    node.stop();
  }
}
