package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.server.kafka.AppendTopics.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real broker with ACLs. */
@Tag("proof-kafka")
class KafkaAppendsRightsTest {

  private KafkaBroker broker;

  @BeforeEach
  void start() throws Exception {
    Path directory = Files.createTempDirectory(Path.of("target"), "broker-");
    Map<String, String> settings = new HashMap<>();
    settings.put("listener.security.protocol.map", "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("inter.broker.listener.name", "PLAINTEXT");
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
    settings.put(
        "listener.name.plaintext.plain.sasl.jaas.config",
        login("admin") + " user_admin=\"admin-password\" user_node=\"node-password\";");
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    // The controller's own connections, which stay on loopback, have no name.
    settings.put("super.users", "User:admin;User:ANONYMOUS");
    broker = KafkaBroker.start(directory.toAbsolutePath(), settings);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private static String login(String user) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s-password\""
        .formatted(user, user);
  }

  private static Map<String, String> clientSettings(String user) {
    return Map.of(
        "security.protocol", "SASL_PLAINTEXT",
        "sasl.mechanism", "PLAIN",
        "sasl.jaas.config", login(user) + ";");
  }

  private void allow(AclOperation... operations) throws Exception {
    Map<String, Object> settings = new HashMap<>(clientSettings("admin"));
    settings.put("bootstrap.servers", broker.bootstrap());
    List<AclBinding> acls = new ArrayList<>();
    for (AclOperation operation : operations) {
      acls.add(
          new AclBinding(
              new ResourcePattern(ResourceType.TOPIC, "c.", PatternType.PREFIXED),
              new AccessControlEntry("User:node", "*", operation, AclPermissionType.ALLOW)));
    }
    try (Admin admin = Admin.create(settings)) {
      admin.createAcls(acls).all().get();
    }
  }

  @Test
  void a_node_that_may_delete_no_records_is_told_before_it_has_to() throws Exception {
    KafkaConfig like = TestKafka.config();
    KafkaConfig config =
        new KafkaConfig(
            broker.bootstrap(),
            "c",
            like.replicas(),
            like.times(),
            like.compression(),
            clientSettings("node"));
    allow(
        AclOperation.CREATE,
        AclOperation.DESCRIBE,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.READ,
        AclOperation.WRITE);
    try (KafkaCluster cluster = new KafkaCluster(config, TestKafka.CLOCK)) {
      AppendTopics topics = cluster.appendTopics();
      Table table = new Table(1, 2, Optional.of(get(topics.open(new Table(1, 2)))));
      assertThat(get(topics.problems(List.of(table))).get(1))
          .hasSize(2)
          .allSatisfy(
              problem ->
                  assertThat(problem)
                      .contains("Kafka refused to delete records of topic c.", "lacks a right"));
      allow(AclOperation.DELETE);
      assertThat(get(topics.problems(List.of(table)))).isEmpty();
    }
  }
}
