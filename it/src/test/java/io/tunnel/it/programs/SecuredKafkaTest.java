package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.kafka.broker.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Closed nodes over a Kafka that speaks TLS, asks who they are (SASL), and lets them do no more
 * than docs/operate/operating.md says that they need (ACLs).
 */
@Tag("proof-nodes")
class SecuredKafkaTest extends DemoFixture {

  private static final String CLUSTER = "closed";
  private static final String USER = "node";
  private static final int UNUSABLE = 74;

  private Path security;
  private KafkaBroker broker;

  @BeforeEach
  void start() throws Exception {
    security = stage.path("security");
    ChildProcess init =
        stage.child(
            "init", ServerProcess.MAIN, List.of("security", "init", "--dir", security.toString()));
    assertThat(init.awaitExit()).as(init.transcript()).isZero();
    broker = stage.closing(KafkaBroker.start(stage.path("kafka"), brokerSettings()));
  }

  private Map<String, String> brokerSettings() throws IOException {
    Path identity = stage.path("broker.pem");
    Files.writeString(
        identity,
        Files.readString(security.resolve("server.key"))
            + Files.readString(security.resolve("server.crt")));
    Map<String, String> settings = new HashMap<>();
    settings.put("listener.security.protocol.map", "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT");
    settings.put("inter.broker.listener.name", "PLAINTEXT");
    settings.put("ssl.keystore.type", "PEM");
    settings.put("ssl.keystore.location", identity.toString());
    settings.put("ssl.truststore.type", "PEM");
    settings.put("ssl.truststore.location", security.resolve("authority.crt").toString());
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
    settings.put(
        "listener.name.plaintext.plain.sasl.jaas.config",
        login("admin") + " user_admin=\"admin-password\" user_" + USER + "=\"node-password\";");
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    // The controller's own connections, which stay on loopback, have no name.
    settings.put("super.users", "User:admin;User:ANONYMOUS");
    return settings;
  }

  private static String login(String user) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
        + user
        + "\" password=\""
        + user
        + "-password\"";
  }

  private Map<String, String> clientSettings(String user) {
    return Map.of(
        "security.protocol", "SASL_SSL",
        "sasl.mechanism", "PLAIN",
        "sasl.jaas.config", login(user) + ";",
        "ssl.truststore.type", "PEM",
        "ssl.truststore.location", security.resolve("authority.crt").toString());
  }

  /** What docs/operate/operating.md says under "Access". */
  private void grant() throws Exception {
    Map<String, Object> settings = new HashMap<>(clientSettings("admin"));
    settings.put("bootstrap.servers", broker.bootstrap());
    List<AclBinding> acls = new ArrayList<>();
    for (AclOperation operation :
        List.of(
            AclOperation.CREATE,
            AclOperation.DESCRIBE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER,
            AclOperation.ALTER_CONFIGS,
            AclOperation.DELETE,
            AclOperation.READ,
            AclOperation.WRITE)) {
      acls.add(acl(ResourceType.TOPIC, CLUSTER + ".", operation));
    }
    for (AclOperation operation : List.of(AclOperation.READ, AclOperation.DESCRIBE)) {
      acls.add(acl(ResourceType.GROUP, CLUSTER, operation));
    }
    for (AclOperation operation : List.of(AclOperation.WRITE, AclOperation.DESCRIBE)) {
      acls.add(acl(ResourceType.TRANSACTIONAL_ID, CLUSTER, operation));
    }
    try (Admin admin = Admin.create(settings)) {
      admin.createAcls(acls).all().get();
    }
  }

  private static AclBinding acl(ResourceType type, String prefix, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(type, prefix, PatternType.PREFIXED),
        new AccessControlEntry("User:" + USER, "*", operation, AclPermissionType.ALLOW));
  }

  private List<String> nodeOptions(String name, Path kafkaConfig) {
    List<String> options = new ArrayList<>();
    options.addAll(List.of("--security", security.toString(), "--log", "kafka"));
    options.addAll(List.of("--bootstrap", broker.bootstrap(), "--cluster", CLUSTER));
    options.addAll(List.of("--kafka-config", kafkaConfig.toString(), "--node", name));
    options.addAll(List.of("--replication", "1", "--session-ms", "3000"));
    return options;
  }

  private Path kafkaConfig(Map<String, String> settings) throws IOException {
    Path file = stage.path("kafka.properties");
    List<String> lines = new ArrayList<>();
    settings.forEach((name, value) -> lines.add(name + "=" + value));
    return Files.write(file, lines);
  }

  @Test
  void the_main_job_is_proved_with_tls_and_access_control_from_end_to_end() throws Exception {
    grant();
    Path config = kafkaConfig(clientSettings(USER));
    List<ServerProcess> nodes = new ArrayList<>();
    for (String name : List.of("n1", "n2")) {
      nodes.add(new ServerProcess(stage, stage.path(name), nodeOptions(name, config)).start());
    }
    ChildProcess demo =
        demo(
            "--server",
            nodes.get(0).endpoint() + "," + nodes.get(1).endpoint(),
            "--profile",
            security.resolve("admin.json").toString(),
            "--rows",
            "5000",
            "--json");
    JsonObject summary = verified(demo);
    assertThat(summary.get("rowsWritten").getAsLong()).isEqualTo(5_000);
    for (ServerProcess node : nodes) {
      node.stop();
      assertThat(node.child().transcript()).doesNotContain("node-password");
    }
  }

  @Test
  void a_node_whose_user_may_do_nothing_says_what_is_missing() throws Exception {
    assertThat(refusal(clientSettings(USER)))
        .contains("closed.catalog", "docs/operate/operating.md");
  }

  private String refusal(Map<String, String> settings) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("server", "--port", "0", "--http-port", "0"));
    arguments.addAll(List.of("--data", stage.path("data").toString()));
    arguments.addAll(nodeOptions("n1", kafkaConfig(settings)));
    ChildProcess node = stage.child("node", ServerProcess.MAIN, arguments);
    assertThat(node.awaitExit()).as(node.transcript()).isEqualTo(UNUSABLE);
    return node.transcript();
  }

  @Test
  void a_node_with_a_wrong_password_says_so_and_does_not_show_it() throws Exception {
    Map<String, String> settings = new HashMap<>(clientSettings(USER));
    settings.put(
        "sasl.jaas.config", login(USER).replace("node-password", "not-the-password") + ";");
    assertThat(refusal(settings))
        .contains("--kafka-config", "Authentication failed")
        .doesNotContain("not-the-password");
  }
}
