package io.tunnel.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("proof-kafka")
class KafkaBrokerTest {

  private static final Map<String, String> SETTINGS = Map.of("log.segment.bytes", "1048576");

  @TempDir Path directory;

  @Test
  void what_it_has_is_there_after_stop_kill_and_suspension_at_the_same_address() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(directory, SETTINGS)) {
      String bootstrap = broker.bootstrap();
      try (Admin admin = admin(bootstrap)) {
        admin.createTopics(List.of(new NewTopic("a", 3, (short) 1))).all().get();
        assertThat(topics(admin)).containsExactly("a");
        broker.stop();
        broker.restart();
        assertThat(topics(admin)).containsExactly("a");
        broker.kill();
        broker.restart();
        assertThat(broker.bootstrap()).isEqualTo(bootstrap);
        assertThat(topics(admin)).containsExactly("a");
        broker.suspend();
        assertThat(answersWithin(admin, 500)).isFalse();
        broker.resume();
        assertThat(topics(admin)).containsExactly("a");
      }
      assertThat(Files.readString(directory.resolve("broker.properties")))
          .contains("log.segment.bytes=1048576");
      broker.suspend();
      broker.kill();
      broker.kill();
      assertThatIllegalStateException().isThrownBy(broker::suspend);
    }
  }

  @Test
  void a_broker_that_does_not_start_shows_the_end_of_its_log() {
    assertThatIOException()
        .isThrownBy(
            () -> KafkaBroker.start(directory, Map.of("log.cleaner.min.cleanable.ratio", "often")))
        .withMessageContaining("broker.log")
        .withMessageContaining("log.cleaner.min.cleanable.ratio");
  }

  private static Admin admin(String bootstrap) {
    return Admin.create(
        Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
            200));
  }

  private static Iterable<String> topics(Admin admin) throws Exception {
    return admin.listTopics().names().get(60, TimeUnit.SECONDS);
  }

  private static boolean answersWithin(Admin admin, int ms) throws InterruptedException {
    try {
      admin.listTopics(new ListTopicsOptions().timeoutMs(ms)).names().get();
      return true;
    } catch (ExecutionException e) {
      return false;
    }
  }
}
