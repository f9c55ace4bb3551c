package io.tunnel.it.process;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;

/** A topic of the nodes, looked at behind their backs. */
public final class KafkaTopic implements AutoCloseable {

  private final String name;
  private final Admin admin;

  public KafkaTopic(KafkaProcess kafka, String name) {
    this.name = name;
    admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()));
  }

  /** Which of the brokers leads a partition, as {@link KafkaProcess#broker} numbers them. */
  public int leaderOf(int partition) {
    TopicDescription described =
        get(admin.describeTopics(List.of(name)).topicNameValues().get(name));
    return described.partitions().get(partition).leader().id() - 1;
  }

  private static <T> T get(KafkaFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
