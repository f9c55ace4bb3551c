package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.security.directory.InitCommand;
import io.tunnel.cli.security.directory.ProfileWriter;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.KafkaProcess;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/**
 * Two nodes and a Kafka, each a process; the nodes ask clients for a key. One node loses Kafka, and
 * a key is revoked on the other node meanwhile.
 */
@Tag("proof-cluster")
class CutOffRightsTest {

  private static final List<String> OPTIONS =
      List.of(
          "--cluster",
          "it",
          "--standbys",
          "1",
          "--replication",
          "1",
          "--min-insync",
          "1",
          "--session-ms",
          "" + Cluster.SESSION_MS);

  @RegisterExtension final Stage stage = new Stage();

  private Path security;
  private NodeProcess cutOff;
  private NodeProcess other;

  @BeforeEach
  void begin() throws IOException {
    security = Files.createDirectory(stage.path("closed")).resolve("security");
    int exit = new CommandLine(new InitCommand()).execute("--dir", security.toString());
    assertThat(exit).as("'security init'").isZero();
    KafkaProcess kafka = new KafkaProcess(stage, 2, 1);
    cutOff = node("cut-off", kafka, 0);
    other = node("other", kafka, 1);
    cutOff.awaitReady();
    other.awaitReady();
    awaitAdmitted(security.resolve("admin.json"), cutOff);
    awaitAdmitted(security.resolve("admin.json"), other);
  }

  private NodeProcess node(String name, KafkaProcess kafka, int number) {
    List<String> options = new ArrayList<>(OPTIONS);
    options.addAll(List.of("--security", security.toString()));
    NodeProcess node = new NodeProcess(stage, name, stage.path(name), kafka.road(number), options);
    node.begin();
    return node;
  }

  private SecurityClient administrator() {
    return new SecurityClient(client(security.resolve("admin.json"), other, Poll.LONG));
  }

  /** The profile of a new key of that principal, for clients of any node. */
  private Path key(String principal) throws IOException {
    Path profile = security.resolve(principal + ".json");
    try (SecurityClient client = administrator()) {
      client.grant(Permission.allow(principal, List.of("read"), "table:*"));
      ProfileWriter.create(profile, client(security.resolve("admin.json"), other, Poll.LONG))
          .write(client.createKey(principal));
    }
    return profile;
  }

  private static ClientConfig client(Path profile, NodeProcess node, Duration retryDeadline) {
    return ClientConfig.of("profile:" + profile + "@" + node.endpoint())
        .withRetryDeadline(retryDeadline);
  }

  /** Why a new connection with that key is refused; empty when it is let in. */
  private static Optional<ErrorCode> refusal(Path profile, NodeProcess node) {
    try (SecurityClient client =
        new SecurityClient(client(profile, node, Duration.ofMillis(200)))) {
      assertThat(client.whoAmI()).isNotNull();
      return Optional.empty();
    } catch (RefusedException e) {
      return Optional.of(e.code());
    }
  }

  private static void awaitRefused(Path profile, NodeProcess node, ErrorCode code) {
    Poll.untilTrue(() -> refusal(profile, node).equals(Optional.of(code)));
  }

  private static void awaitAdmitted(Path profile, NodeProcess node) {
    Poll.untilTrue(() -> refusal(profile, node).isEmpty());
  }

  private void revoke(String principal) {
    try (SecurityClient client = administrator()) {
      client.keys().stream()
          .filter(key -> key.principal().equals(principal))
          .forEach(key -> client.revokeKey(key.id()));
    }
  }

  @Test
  void a_node_cut_off_from_kafka_admits_by_no_key_until_it_has_read_what_was_revoked()
      throws IOException {
    Path revoked = key("revoked");
    Path kept = key("kept");
    awaitAdmitted(revoked, cutOff);
    awaitAdmitted(kept, cutOff);
    cutOff.toKafka().hold();
    revoke("revoked");
    awaitRefused(revoked, other, ErrorCode.NOT_AUTHENTICATED);
    awaitRefused(revoked, cutOff, ErrorCode.LOG_UNAVAILABLE);
    awaitRefused(kept, cutOff, ErrorCode.LOG_UNAVAILABLE);
    // A node that reaches Kafka admits by the catalog; a key in a file is good on any node.
    awaitAdmitted(kept, other);
    awaitAdmitted(security.resolve("admin.json"), cutOff);
    cutOff.toKafka().resume();
    awaitAdmitted(kept, cutOff);
    awaitRefused(revoked, cutOff, ErrorCode.NOT_AUTHENTICATED);
  }
}
