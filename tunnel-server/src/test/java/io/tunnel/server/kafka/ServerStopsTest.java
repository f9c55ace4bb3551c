package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.ServerCommand;
import io.tunnel.server.cluster.PeerProbe;
import io.tunnel.server.cluster.PeerProbe.Presence;
import io.tunnel.server.kafka.members.KafkaMembership;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.GroupState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A whole node on a real broker, that ends by itself. */
class ServerStopsTest {

  @TempDir private Path data;

  private final KafkaConfig config = TestKafka.config();
  private final CountDownLatch ready = new CountDownLatch(1);
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** The exit code, when it has ended. */
  private CompletableFuture<Integer> start() {
    CommandLine command = new CommandLine(new ServerCommand());
    command.setCaseInsensitiveEnumValuesAllowed(true);
    command.setErr(new PrintWriter(err));
    command.setOut(
        new PrintWriter(out) {
          @Override
          public void flush() {
            ready.countDown();
          }
        });
    return CompletableFuture.supplyAsync(
        () ->
            command.execute(
                "--data", data.toString(),
                "--log", "kafka",
                "--bootstrap", config.bootstrap(),
                "--cluster", config.cluster(),
                "--node", "n1",
                "--replication", "1",
                "--port", "0",
                "--http-port", "-1"));
  }

  @Test
  void a_node_whose_name_another_has_taken_ends_with_74_and_says_why() throws Exception {
    CompletableFuture<Integer> exitCode = start();
    assertThat(ready.await(60, TimeUnit.SECONDS)).as("it serves: %s", err).isTrue();
    String address = out.toString().lines().findFirst().orElseThrow().replaceAll(".* ", "");
    assertThat(PeerProbe.ask(address, "n1")).isEqualTo(Presence.ALIVE);
    assertThat(PeerProbe.ask(address, "n2")).isEqualTo(Presence.UNKNOWN);
    TestNode other = new TestNode("n1", "other");
    try (Admin admin = Admin.create(new ClientSettings(config).admin())) {
      requireJoined(admin);
      try (KafkaMembership unasked =
          new KafkaMembership(config, admin, "n1", () -> other, TestKafka.CLOCK)) {
        unasked.start();
        assertThat(exitCode.get(60, TimeUnit.SECONDS)).isEqualTo(74);
      }
    }
    assertThat(err.toString()).contains("another node has joined the cluster as n1");
  }

  /** Before that, no node could be replaced. */
  private void requireJoined(Admin admin) throws Exception {
    String group = KafkaMembership.group(config.cluster());
    boolean isStable = false;
    while (!isStable) {
      isStable =
          admin.describeConsumerGroups(List.of(group)).all().get().get(group).groupState()
              == GroupState.STABLE;
    }
  }
}
