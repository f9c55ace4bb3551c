package io.tunnel.server.kafka.members;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.RefusedException;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.partition.Shard;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsResult;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** A Kafka that does not answer at once when a node looks whether its name is free. */
final class NodeNamesTest {

  private static final KafkaConfig CONFIG = new KafkaConfig("broker:9092", "c");

  /** What Kafka answers to one question after the other; then there is no group. */
  private final Deque<KafkaException> answers = new ArrayDeque<>();

  private int asked;

  /** Each question takes so long. */
  private long secondsOfQuestion;

  private final Shard.Clock clock =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return 0;
        }

        @Override
        public long nanos() {
          return TimeUnit.SECONDS.toNanos(secondsOfQuestion * asked);
        }
      };

  private final NodeNames names = new NodeNames(CONFIG, admin(), clock);

  private Admin admin() {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("describeConsumerGroups")) {
                throw new UnsupportedOperationException(method.getName());
              }
              asked++;
              KafkaFutureImpl<ConsumerGroupDescription> answer = new KafkaFutureImpl<>();
              answer.completeExceptionally(
                  answers.isEmpty() ? new GroupIdNotFoundException("no group") : answers.remove());
              return new DescribeConsumerGroupsResult(Map.of("c.nodes", answer));
            });
  }

  @Test
  void a_kafka_that_does_not_answer_at_once_is_asked_again() {
    answers.addAll(List.of(new TimeoutException("slow"), new TimeoutException("slow")));
    names.requireFree("n1", "host:1");
    assertThat(asked).isEqualTo(3);
  }

  @Test
  void a_silent_kafka_ends_the_start_after_a_minute_with_its_address() {
    secondsOfQuestion = 25;
    for (int i = 0; i < 10; i++) {
      answers.add(new TimeoutException("slow"));
    }
    assertThatThrownBy(() -> names.requireFree("n1", "host:1"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("list the members of group")
        .hasMessageContaining("broker:9092");
    assertThat(asked).as("after 25, 50 and 75 s").isEqualTo(3);
  }

  @Test
  void a_refusal_is_not_repeated() {
    answers.add(new GroupAuthorizationException("no right"));
    assertThatThrownBy(() -> names.requireFree("n1", "host:1"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("Kafka refused to list the members of group");
    assertThat(asked).isEqualTo(1);
  }
}
