package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.Poll;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A broker that tells each of its clients to come by the road that the client has come. */
class KafkaProcessTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void a_road_is_the_only_way_and_may_be_held_and_cut() throws Exception {
    KafkaProcess kafka = new KafkaProcess(stage, 2);
    Road road = kafka.road(1);
    try (Admin admin = admin(road.bootstrap());
        Admin direct = admin(kafka.bootstrap())) {
      assertThat(admin.describeCluster().nodes().get())
          .extracting(Node::port)
          .containsExactly(road.ways().get(0).port());
      road.hold();
      assertThatThrownBy(() -> admin.listTopics().names().get())
          .isInstanceOf(ExecutionException.class);
      assertThat(direct.listTopics().names().get()).isEmpty();
      road.resume();
      assertThat(admin.listTopics().names().get()).isEmpty();
      Poll.until("only the answer is lost", () -> isCreatedUnheard(road, admin, direct));
      road.resume();
      assertThat(admin.deleteTopics(List.of("a")).all()).succeedsWithin(PATIENCE);
      road.cut();
      assertThatThrownBy(() -> admin.listTopics().names().get())
          .isInstanceOf(ExecutionException.class);
      road.resume();
      kafka.restart();
      assertThat(admin.listTopics().names().get()).isEmpty();
    }
  }

  /**
   * Tells whether a topic was made though its maker heard nothing. A client that has just found its
   * broker again may have another question under way, and then does not come to ask for the topic.
   */
  private static boolean isCreatedUnheard(Road road, Admin admin, Admin direct) {
    road.resume();
    assertThat(admin.listTopics().names()).succeedsWithin(PATIENCE);
    road.holdAnswers();
    NewTopic topic = new NewTopic("a", 1, (short) 1);
    assertThatThrownBy(() -> admin.createTopics(List.of(topic)).all().get())
        .isInstanceOf(ExecutionException.class);
    return direct
        .listTopics()
        .names()
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .contains("a");
  }

  private static Admin admin(String bootstrap) {
    return Admin.create(
        Map.of(
            "bootstrap.servers", bootstrap,
            "default.api.timeout.ms", 3_000,
            "request.timeout.ms", 2_000));
  }
}
