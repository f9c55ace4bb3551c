package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.kafka.broker.KafkaBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that are controllers together; here because it takes as long as the other long tests. */
@Tag("proof-cluster")
class ClusterBrokerQuorumTest {

  @TempDir Path directory;

  @Test
  void three_that_are_controllers_together_go_on_without_any_one_of_them() throws Exception {
    List<KafkaBroker> brokers =
        KafkaBroker.startQuorum(directory, List.of(Map.of(), Map.of(), Map.of()));
    try {
      String bootstrap =
          brokers.stream().map(KafkaBroker::bootstrap).collect(Collectors.joining(","));
      try (Admin admin =
          Admin.create(
              Map.of(
                  AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                  bootstrap,
                  AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                  200))) {
        NewTopic topic = new NewTopic("a", 3, (short) 3);
        topic.configs(Map.of("min.insync.replicas", "2"));
        admin.createTopics(List.of(topic)).all().get();
        for (KafkaBroker broker : brokers) {
          broker.kill();
          admin.createTopics(List.of(new NewTopic("b", 1, (short) 2))).all().get();
          admin.deleteTopics(List.of("b")).all().get();
          assertThat(admin.listTopics().names().get()).contains("a");
          broker.restart();
        }
        brokers.forEach(KafkaBroker::kill);
        KafkaBroker.restartAll(brokers);
        assertThat(admin.listTopics().names().get()).containsExactly("a");
      }
    } finally {
      brokers.forEach(KafkaBroker::close);
    }
  }
}
