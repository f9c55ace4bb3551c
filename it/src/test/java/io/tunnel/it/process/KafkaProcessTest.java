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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A broker that tells each of its clients to come by the road that the client has come. */
@Tag("proof-kafka")
class KafkaProcessTest {

  /** Of who gets an answer, on a machine that is busy, too. */
  private static final Duration PATIENCE = Poll.LONG;

  /** Of who gets none. */
  private static final Duration HASTE = Duration.ofSeconds(3);

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void a_road_is_the_only_way_and_may_be_held_and_cut() throws Exception {
    KafkaProcess kafka = new KafkaProcess(stage, 2);
    Road road = kafka.road(1);
    try (Admin admin = admin(road.bootstrap(), PATIENCE);
        Admin hasty = admin(road.bootstrap(), HASTE);
        Admin direct = admin(kafka.bootstrap(), PATIENCE)) {
      assertThat(admin.describeCluster().nodes().get())
          .extracting(Node::port)
          .containsExactly(road.ways().get(0).port());
      road.hold();
      assertThatThrownBy(() -> hasty.listTopics().names().get())
          .isInstanceOf(ExecutionException.class);
      assertThat(direct.listTopics().names().get()).isEmpty();
      road.resume();
      assertThat(admin.listTopics().names().get()).isEmpty();
      Poll.until("only the answer is lost", () -> isCreatedUnheard(road, hasty, direct));
      road.resume();
      assertThat(admin.deleteTopics(List.of("a")).all()).succeedsWithin(PATIENCE);
      road.cut();
      assertThatThrownBy(() -> hasty.listTopics().names().get())
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
  private static boolean isCreatedUnheard(Road road, Admin hasty, Admin direct) {
    road.resume();
    Poll.untilTrue(() -> hasty.listTopics().names().get() != null);
    road.holdAnswers();
    NewTopic topic = new NewTopic("a", 1, (short) 1);
    assertThatThrownBy(() -> hasty.createTopics(List.of(topic)).all().get())
        .isInstanceOf(ExecutionException.class);
    return direct
        .listTopics()
        .names()
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .contains("a");
  }

  private static Admin admin(String bootstrap, Duration patience) {
    return Admin.create(
        Map.of(
            "bootstrap.servers", bootstrap,
            "default.api.timeout.ms", (int) patience.toMillis(),
            "request.timeout.ms", (int) HASTE.toMillis()));
  }
}
