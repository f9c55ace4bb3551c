package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.monitoring.MeterPage;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TunnelType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code docs/reference/metrics.md} names every meter of a server and of a node, and no other. */
@Tag("proof-programs")
class MetricsDocTest {

  private static final Pattern TYPE = Pattern.compile("^# TYPE (\\S+) \\S+$", Pattern.MULTILINE);

  @RegisterExtension final Stage stage = new Stage();

  private static Set<String> documented(String heading) {
    return new TreeSet<>(MeterPage.below(heading).keySet());
  }

  private static boolean isOfJvm(String name) {
    return name.startsWith("jvm_") || name.startsWith("process_") || name.startsWith("system_");
  }

  /** A tunnel with unread changes of a table that keeps changes for a limited time. */
  private static void makeUnread(ServerProcess server, Scene scene) {
    var unused = scene.tunnel("audit", TunnelType.Stream);
    OptionsChange anHour = new OptionsChange().withRetention(Duration.ofHours(1));
    assertThat(scene.tables().alterTable(scene.table(), anHour)).isNotNull();
    scene.fill(10, 10);
    Poll.until(
        "history left is told",
        () -> server.http("/metrics", 200).contains("tunnel_channel_history_left_seconds{"));
  }

  /** Those of the JVM come when there is something to say, as after a pause for its garbage. */
  private static void requireDocumented(ServerProcess server, Set<String> expected) {
    Set<String> registered = new TreeSet<>();
    Matcher type = TYPE.matcher(server.http("/metrics", 200));
    while (type.find()) {
      registered.add(type.group(1));
    }
    assertThat(documented("The JVM"))
        .containsAll(registered.stream().filter(MetricsDocTest::isOfJvm).toList());
    registered.removeIf(MetricsDocTest::isOfJvm);
    assertThat(registered).isEqualTo(expected);
  }

  @Test
  void every_meter_of_a_server_is_documented_and_every_documented_one_is_there() {
    ServerProcess server = stage.server();
    makeUnread(server, new Scene(stage, server, 2));
    Set<String> expected = documented("Every server");
    expected.addAll(documented("Tunnels"));
    expected.addAll(documented("A server that is alone"));
    requireDocumented(server, expected);
  }

  @Test
  void every_meter_of_a_node_is_documented_and_every_documented_one_is_there() throws Exception {
    KafkaBroker broker = stage.closing(KafkaBroker.start(stage.path("kafka"), Map.of()));
    List<String> options =
        List.of(
            "--log",
            "kafka",
            "--cluster",
            "m",
            "--node",
            "n1",
            "--bootstrap",
            broker.bootstrap(),
            "--replication",
            "1");
    ServerProcess node = new ServerProcess(stage, stage.path("n1"), options).start();
    Scene scene = new Scene(stage, node, 2);
    var unused = scene.tunnel("audit", TunnelType.Stream);
    Set<String> expected = documented("Every server");
    expected.addAll(documented("Tunnels"));
    expected.addAll(documented("A node of a cluster"));
    // Needs the commit time of an unread change, which the page says a node may not know.
    expected.remove("tunnel_channel_history_left_seconds");
    Poll.until(
        "its replicas are there", () -> node.http("/metrics", 200).contains("tunnel_replica_lag{"));
    requireDocumented(node, expected);
  }
}
