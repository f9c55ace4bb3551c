package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.kafka.members.KafkaMembership;
import io.tunnel.server.kafka.members.NodeNameTakenException;
import io.tunnel.server.kafka.members.NodeNames;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.append.TopicProblems;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.KafkaException;

/**
 * Kafka, as one node uses it. The opener of a part closes the part before this object. Only {@link
 * Memberships#join} blocks for Kafka.
 */
public final class KafkaCluster implements Closeable {

  /** How the message of Kafka's clients begins when no broker's name can be resolved. */
  private static final String UNRESOLVED = "No resolvable bootstrap";

  private final KafkaConfig config;
  private final Shard.Clock clock;
  private final Admin admin;

  /**
   * Connects at the first request.
   *
   * @throws LogUnavailableException when no broker's name can be resolved
   * @throws IOException when Kafka's client refuses these settings
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
      String message =
          "cannot connect to Kafka at "
              + config.bootstrap()
              + " ("
              + reason.getMessage()
              + "); are --bootstrap and --kafka-config right?";
      throw String.valueOf(reason.getMessage()).startsWith(UNRESOLVED)
          ? new LogUnavailableException(message, e)
          : new IOException(message, e);
    }
  }

  /**
   * The unique id of this Kafka cluster; also the cheapest question to learn whether Kafka answers.
   *
   * @param withinMs milliseconds after which the answer fails
   */
  public CompletableFuture<String> id(int withinMs) {
    DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs(withinMs);
    return AdminFutures.of("tell its cluster id", admin.describeCluster(options).clusterId());
  }

  /** Creates and checks topics. */
  public KafkaTopics topics() {
    return new KafkaTopics(config, admin);
  }

  /** Creates and checks the topics of tables whose log has appends. */
  AppendTopics appendTopics() {
    return new AppendTopics(config, admin, topics());
  }

  /** The logs of tables. */
  public TableTopics tables() {
    return new TableTopics(appendTopics());
  }

  /** The topics of all tables in a log of appends, also without a catalog: origins by names. */
  public CompletableFuture<Map<String, Bytes>> appendTopicsOfTables() {
    return appendTopics().all();
  }

  /** Deletes the topics with these origins, by name, as far as they exist. */
  public CompletableFuture<Void> dropTopics(Map<String, Bytes> origins) {
    return CompletableFuture.allOf(
        origins.entrySet().stream()
            .map(topic -> topics().drop(topic.getKey(), topic.getValue()))
            .toArray(CompletableFuture[]::new));
  }

  /** Says what keeps partitions from being led. */
  public TopicProblems topicProblems(TopicPlaces places) {
    AppendTopics topics = appendTopics();
    return new TableProblems(
        places::table,
        table ->
            topics
                .problems(List.of(table))
                .thenApply(found -> found.getOrDefault(table.tableId(), List.of())),
        clock::nanos);
  }

  /** Appends records to the logs of tables, and reads them. */
  public ReadableAppendLog openAppends(PartitionTopics topics) {
    return new KafkaAppends(config, admin, appendTopics(), topics, clock);
  }

  /** Appends blocks of snapshots to the topics of tables, and reads them. */
  public SnapshotBlocks openBlocks(PartitionTopics topics) {
    return new KafkaBlocks(config, appendTopics(), topics, clock);
  }

  /** Joins the group of nodes. */
  public Memberships memberships() {
    return new Memberships();
  }

  /** Joins the group of nodes. */
  public final class Memberships implements Membership.Factory {

    private Memberships() {}

    /**
     * Waits first until no other node has the name: the group keeps a killed node as a member for
     * the length of a session. The topic of the catalog must exist.
     *
     * @throws NodeNameTakenException when a living node has the name
     * @throws io.tunnel.model.RefusedException LOG_UNAVAILABLE when Kafka cannot be reached
     */
    @Override
    public Membership join(String name, Supplier<Membership.Node> node) {
      new NodeNames(config, admin, clock).requireFree(name, node.get().introduce().address());
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
