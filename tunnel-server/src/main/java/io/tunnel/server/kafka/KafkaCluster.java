package io.tunnel.server.kafka;

import io.tunnel.server.cluster.Membership;
import io.tunnel.server.kafka.members.KafkaMembership;
import io.tunnel.server.kafka.members.NodeNameTakenException;
import io.tunnel.server.kafka.members.NodeNames;
import io.tunnel.server.partition.Shard;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/**
 * Kafka, as one node uses it. A part that was opened here is closed by its opener, before this.
 * Nothing here waits for Kafka but {@link Memberships#join}.
 */
public final class KafkaCluster implements Closeable {

  private final KafkaConfig config;
  private final Shard.Clock clock;
  private final Admin admin;

  /**
   * Connects as soon as something is asked for.
   *
   * @throws IOException when Kafka's client cannot be made of these settings, or none of the
   *     brokers' names is known here
   */
  public KafkaCluster(KafkaConfig config, Shard.Clock clock) throws IOException {
    this.config = config;
    this.clock = clock;
    try {
      ClientSettings settings = new ClientSettings(config);
      settings.requireValid();
      this.admin = Admin.create(settings.admin());
    } catch (KafkaException e) {
      Throwable reason = e;
      while (reason.getCause() != null) {
        reason = reason.getCause();
      }
      throw new IOException(
          "there is no way to Kafka at "
              + config.bootstrap()
              + " ("
              + reason.getMessage()
              + "); are --bootstrap and --kafka-config right?",
          e);
    }
  }

  /**
   * What Kafka calls itself, and nobody else; also the shortest way to learn whether it answers.
   *
   * @param withinMs after which it is told that it does not
   */
  public CompletableFuture<String> id(int withinMs) {
    DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs(withinMs);
    return AdminFutures.of("say what it is called", admin.describeCluster(options).clusterId());
  }

  /** Makes and checks topics. */
  public KafkaTopics topics() {
    return new KafkaTopics(config, admin);
  }

  /** Where partitions begin and end. */
  public KafkaOffsets offsets(PartitionTopics topics) {
    return new KafkaOffsets(config, admin, topics, clock);
  }

  /** What is left of what was seen under former leaders. */
  public KafkaEpochs epochs(PartitionTopics topics) {
    return new KafkaEpochs(
        config,
        topics,
        () ->
            new KafkaConsumer<>(
                new ClientSettings(config).tail(),
                RecordFormat.DESERIALIZER,
                RecordFormat.DESERIALIZER));
  }

  /** Appends to partitions and reads them. */
  public KafkaLog openLog(PartitionTopics topics) {
    return new KafkaLog(config, topics, offsets(topics), new TopicOrigins(admin, clock), clock);
  }

  /** Joins the group of nodes. */
  public Memberships memberships() {
    return new Memberships();
  }

  /** Joins the group of nodes. */
  public final class Memberships implements Membership.Factory {

    private Memberships() {}

    /**
     * Waits first until no other node has the name: a node that was killed is known to the group
     * for the length of a session. The topic of the catalog has to be there.
     *
     * @throws NodeNameTakenException when a node of that name is alive
     * @throws io.tunnel.model.RefusedException LOG_UNAVAILABLE when Kafka cannot be reached
     */
    @Override
    public Membership join(String name, Supplier<Membership.Node> node) {
      new NodeNames(config, admin, clock).requireFree(name, node.get().info().address());
      KafkaMembership membership = new KafkaMembership(config, admin, name, node, clock);
      membership.start();
      return membership;
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofMillis(config.times().requestMs()));
  }
}
