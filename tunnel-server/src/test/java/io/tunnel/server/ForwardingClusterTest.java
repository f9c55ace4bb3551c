package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.forward.ForwardException;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.server.security.files.TestSecurity.Authority;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with TLS and authentication on a real broker, each of which answers for all. */
@Tag("proof-kafka")
final class ForwardingClusterTest {

  private static final OnBehalf ADMIN = of("admin");
  private static final OnBehalf BOB = of("bob");
  private static final int TABLES = 6;
  private static final byte[] REPLICAS = Json.encode(new DescribeNode(NodePart.REPLICAS));

  @TempDir private Path directory;
  private final Authority authority = Authority.of("test");
  private KafkaBroker broker;
  private Server first;
  private Server second;

  @BeforeEach
  void start() throws IOException {
    Path logs = Files.createTempDirectory(Path.of("target"), "forward-broker-");
    broker = KafkaBroker.start(logs.toAbsolutePath(), Map.of());
    first = node("n1", -1);
    second = node("n2", 0);
  }

  @AfterEach
  void stop() throws IOException {
    second.close();
    first.close();
    broker.close();
  }

  private static OnBehalf of(String principal) {
    return new OnBehalf(Optional.of(new Principal(principal)), "192.0.2.9");
  }

  private Server node(String name, int httpPort) throws IOException {
    Path security = directory.resolve("security-" + name);
    TestSecurity.write(security, authority);
    ServerConfig config =
        ServerConfig.defaults(1)
            .withNet(new NetConfig("127.0.0.1", 0, httpPort, 1, 100, false))
            .withSecurity(new SecurityConfig(security.toString()))
            .withAudit(new AuditTrail.Settings(AuditTrail.Written.ALL, 16 << 20, 2));
    ClusterConfig.Log log =
        new ClusterConfig.Log(List.of(broker.bootstrap()), 1, 1, 6_000, Map.of());
    return Server.node(
        directory.resolve(name),
        config,
        new ClusterConfig("c", name, Optional.empty(), 1, false, log));
  }

  private static byte[] askOnce(
      Server at, OnBehalf who, Optional<String> node, Operation operation, byte[] payload)
      throws Exception {
    try {
      return at.forwarding()
          .ask(who, node, operation, payload, Duration.ofSeconds(30))
          .get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  /** Asks again while the nodes find out who leads. */
  private static byte[] ask(Server at, OnBehalf who, Operation operation, Control payload)
      throws Exception {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (true) {
      try {
        return askOnce(at, who, Optional.empty(), operation, Json.encode(payload));
      } catch (RefusedException e) {
        if (!e.retriable() || System.nanoTime() > endNanos) {
          throw e;
        }
      }
    }
  }

  private static ErrorCode refusal(Server at, OnBehalf who, Operation operation, Control payload)
      throws Exception {
    try {
      byte[] unused = ask(at, who, operation, payload);
      throw new AssertionError("an answer");
    } catch (RefusedException e) {
      return e.code();
    }
  }

  private void createTunnels() throws Exception {
    for (int i = 0; i < TABLES; i++) {
      TableMeta meta =
          new TableMeta("t" + i, List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));
      byte[] table =
          ask(first, ADMIN, Operation.CREATE_TABLE, new Control.CreateTable(meta, List.of()));
      byte[] tunnel =
          ask(
              second,
              ADMIN,
              Operation.CREATE_TUNNEL,
              new Control.CreateTunnel("t" + i, "sales", TunnelType.Stream, StreamStart.EARLIEST));
      assertThat(table.length + tunnel.length).isPositive();
    }
  }

  /** Asks again until it holds. */
  private static void await(Callable<Boolean> holds) throws Exception {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!holds.call()) {
      assertThat(System.nanoTime()).isLessThan(endNanos);
    }
  }

  private void awaitBoth() throws Exception {
    await(
        () -> {
          byte[] answer = ask(first, ADMIN, Operation.DESCRIBE_CLUSTER, new Control.Empty());
          return Json.decode(answer, ClusterDescription.class).nodes().stream()
                  .filter(node -> node.tunnelGroups() > 0)
                  .count()
              == 2;
        });
  }

  @Test
  void any_node_answers_for_all_with_the_rights_of_the_principal() throws Exception {
    awaitBoth();
    createTunnels();
    for (Server each : List.of(first, second)) {
      for (int i = 0; i < TABLES; i++) {
        byte[] answer =
            ask(each, ADMIN, Operation.DESCRIBE_TUNNEL, new Control.TunnelName("t" + i, "sales"));
        assertThat(new String(answer, StandardCharsets.UTF_8)).contains("sales");
      }
    }
    Control.TunnelName sales = new Control.TunnelName("t1", "sales");
    assertThat(refusal(first, BOB, Operation.DESCRIBE_TUNNEL, sales))
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    PermissionInfo may = new PermissionInfo("bob", true, List.of("consume"), "tunnel:t1/sales");
    assertThat(ask(second, ADMIN, Operation.GRANT, may)).as("an empty answer").isEmpty();
    for (Server each : List.of(first, second)) {
      // A node learns of a permission a little later.
      await(() -> isSeen(each, sales));
      assertThat(refusal(each, BOB, Operation.DELETE_TUNNEL, sales))
          .isEqualTo(ErrorCode.NOT_PERMITTED);
    }
    assertThat(ask(first, ADMIN, Operation.WITHDRAW, may)).as("an empty answer").isEmpty();
    for (Server each : List.of(first, second)) {
      await(() -> !isSeen(each, sales));
    }
  }

  private static boolean isSeen(Server at, Control.TunnelName tunnel) throws Exception {
    try {
      return ask(at, BOB, Operation.DESCRIBE_TUNNEL, tunnel).length > 0;
    } catch (RefusedException e) {
      return false;
    }
  }

  private static NodeStatus status(Server at, String node, byte[] payload) throws Exception {
    return Json.decode(
        askOnce(at, ADMIN, Optional.of(node), Operation.DESCRIBE_NODE, payload), NodeStatus.class);
  }

  @Test
  void a_named_node_answers_over_tls_and_audits_principal_node_and_address() throws Exception {
    awaitBoth();
    for (Server each : List.of(first, second)) {
      for (String name : List.of("n1", "n2")) {
        byte[] answer = askOnce(each, ADMIN, Optional.of(name), Operation.DESCRIBE_NODE, REPLICAS);
        assertThat(Json.decode(answer, NodeStatus.class).name()).isEqualTo(name);
      }
    }
    byte[] figures = Json.encode(new DescribeNode(NodePart.FIGURES));
    await(
        () ->
            status(first, "n2", figures).figures().stream()
                .anyMatch(one -> one.atMs() > 0 && one.values().size() > 5));
    assertThat(status(second, "n1", figures).figures()).as("n1 has no console").isEmpty();
    assertThatThrownBy(
            () -> askOnce(first, BOB, Optional.of("n2"), Operation.DESCRIBE_NODE, figures))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
    second.close();
    assertThat(Files.readString(directory.resolve("n2/audit/audit.jsonl")))
        .contains("\"principal\":\"admin\",\"address\":\"via n1 from 192.0.2.9\"");
    assertThatThrownBy(
            () -> askOnce(first, ADMIN, Optional.of("n2"), Operation.DESCRIBE_NODE, REPLICAS))
        .isInstanceOfSatisfying(
            ForwardException.class, e -> assertThat(e.reason().mayHaveEffect()).isFalse());
  }
}
