package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an operator sees of a cluster's nodes: why one does not start, and its figures. */
@Tag("proof-nodes")
class NodeOperationsTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static final int FAILED = 74;
  private static final int SESSION_MS_MIN = 1_000;
  private static final int SESSION_MS = 2_000;
  private static final int PARTITIONS = 4;

  private static KafkaBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker =
        STAGE.closing(
            KafkaBroker.start(
                STAGE.path("kafka"), Map.of("group.min.session.timeout.ms", "" + SESSION_MS_MIN)));
  }

  private static List<String> options(String cluster, String node, String... more) {
    List<String> options = new ArrayList<>(List.of("--log", "kafka", "--cluster", cluster));
    options.addAll(List.of("--node", node));
    options.addAll(List.of(more));
    return options;
  }

  private static List<String> here(String cluster, String node, int sessionMs) {
    List<String> options = options(cluster, node, "--bootstrap", broker.bootstrap());
    options.addAll(List.of("--replication", "1", "--session-ms", "" + sessionMs));
    return options;
  }

  private static ServerProcess node(String cluster, String name) {
    return new ServerProcess(STAGE, STAGE.path(name), here(cluster, name, SESSION_MS)).start();
  }

  /** What a node says that ends by itself. */
  private static String refusal(List<String> options) {
    List<String> arguments = new ArrayList<>(List.of("server", "--port", "0", "--http-port", "0"));
    arguments.addAll(List.of("--data", STAGE.path("data").toString()));
    arguments.addAll(options);
    ChildProcess node = STAGE.child("node", ServerProcess.MAIN, arguments);
    assertThat(node.awaitExit()).as(node.transcript()).isEqualTo(FAILED);
    return node.transcript();
  }

  @Test
  void a_node_does_not_start_with_more_replicas_than_there_are_brokers() {
    assertThat(refusal(options("few", "n1", "--bootstrap", broker.bootstrap())))
        .contains("only 1 broker", "give --replication and --min-insync that fit");
  }

  @Test
  void a_node_does_not_go_on_with_a_session_that_the_brokers_do_not_take() {
    assertThat(refusal(here("short", "n1", SESSION_MS_MIN - 1)))
        .contains("sessions of 999 ms", "group.min.session.timeout.ms");
  }

  @Test
  void a_node_does_not_start_when_nobody_knows_the_brokers() {
    String bootstrap = "nowhere.invalid:9092";
    assertThat(refusal(options("lost", "n1", "--bootstrap", bootstrap)))
        .contains(
            "cannot connect to Kafka at " + bootstrap, "are --bootstrap and --kafka-config right?");
  }

  @Test
  void a_name_is_given_once_and_the_one_who_has_it_goes_on() {
    ServerProcess first = node("names", "n1");
    awaitFigure(List.of(first), "tunnel_cluster_nodes", 1);
    assertThat(refusal(here("names", "n1", SESSION_MS)))
        .contains("node n1 is a member of cluster names already");
    assertThat(first.isAlive()).isTrue();
    assertThat(figure(first, "tunnel_node_losses_total")).isZero();
    first.stop();
  }

  @Test
  void a_nodes_figures_say_what_it_leads_replicates_delivers_and_was_told() throws Exception {
    List<ServerProcess> nodes = List.of(node("figures", "n1"), node("figures", "n2"));
    awaitFigure(nodes, "tunnel_cluster_nodes", 4);
    awaitFigure(nodes, "tunnel_node_groups", 16);
    awaitFigure(nodes, "tunnel_node_catalog", 1);
    TestTable table = new TestTable("t", PARTITIONS);
    var unused = table.create(STAGE.tables(nodes.get(0)));
    awaitFigure(nodes, "tunnel_node_leads", PARTITIONS);
    awaitFigure(nodes, "tunnel_node_replicas", 2 * PARTITIONS);
    awaitFigure(nodes, "tunnel_node_replicas_behind", 0);
    awaitFigure(nodes, "tunnel_node_replicas_unread", 0);

    TunnelClient tunnels = STAGE.tunnels(nodes.get(1));
    String id = table.createTunnel(tunnels, "all");
    TunnelWorker worker = new TunnelWorker(id, tunnels, new TunnelWorkerConfig(new Idle()));
    worker.connectAndWorking();
    awaitFigure(nodes, "tunnel_node_attached", PARTITIONS);
    worker.shutdown();
    awaitFigure(nodes, "tunnel_node_attached", 0);

    assertThat(sum(nodes, "tunnel_replica_leads_total")).isGreaterThanOrEqualTo(PARTITIONS);
    assertThat(sum(nodes, "tunnel_replica_claims_total"))
        .isGreaterThanOrEqualTo(sum(nodes, "tunnel_replica_leads_total"));
    for (ServerProcess node : nodes) {
      assertThat(figure(node, "tunnel_node_placements_total")).isPositive();
      assertThat(figure(node, "tunnel_cluster_generation")).isPositive();
      for (String none : List.of("fenced", "append_failures", "restarts")) {
        assertThat(figure(node, "tunnel_replica_" + none + "_total")).as(none).isZero();
      }
      assertThat(figure(node, "tunnel_node_draining")).isZero();
    }
    nodes.get(1).stop();
    awaitFigure(nodes.subList(0, 1), "tunnel_node_leads", PARTITIONS);
    nodes.get(0).stop();
  }

  private static double figure(ServerProcess node, String name) {
    Matcher line =
        Pattern.compile("^" + name + " (\\S+)$", Pattern.MULTILINE)
            .matcher(node.http("/metrics", 200));
    assertThat(line.find()).as(name).isTrue();
    return Double.parseDouble(line.group(1));
  }

  private static double sum(List<ServerProcess> nodes, String name) {
    ToDoubleFunction<ServerProcess> figure = node -> figure(node, name);
    return nodes.stream().mapToDouble(figure).sum();
  }

  private static void awaitFigure(List<ServerProcess> nodes, String name, double sum) {
    Poll.until(name + " of all nodes is not " + sum, () -> sum(nodes, name) == sum);
  }

  private record Idle() implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {}

    @Override
    public void shutdown() {}
  }
}
