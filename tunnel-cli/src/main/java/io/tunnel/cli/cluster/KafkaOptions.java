package io.tunnel.cli.cluster;

import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of a command that uses the topics of a cluster without its nodes. */
final class KafkaOptions {

  private static final String COMPRESSION = "lz4";

  @Option(
      names = "--bootstrap",
      required = true,
      paramLabel = "HOST:PORT",
      split = ",",
      description = "Brokers of Kafka, with commas between them.")
  private List<String> bootstrap;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tunnel",
      description = "Prefix of the cluster's topics (default: ${DEFAULT-VALUE}).")
  private String cluster;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description =
          "Properties for Kafka's clients, such as security.protocol and sasl.*; - is standard"
              + " input.")
  private Path kafkaConfig;

  /** For picocli. */
  KafkaOptions() {}

  String cluster() {
    return cluster;
  }

  /**
   * The settings of Kafka.
   *
   * @param replication number of brokers that keep each new topic
   * @param minInsync number of these brokers that must store a record
   */
  KafkaConfig config(int replication, int minInsync) {
    try {
      return new KafkaConfig(
          String.join(",", bootstrap.stream().map(String::strip).toList()),
          cluster,
          new KafkaConfig.Replication(replication, minInsync),
          KafkaConfig.Times.DEFAULT,
          COMPRESSION,
          properties());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    }
  }

  /** The settings of Kafka for topics that follow the defaults of a node. */
  KafkaConfig config(int replication) {
    return config(replication, ClusterConfig.Log.minInsyncDefault(replication));
  }

  private Map<String, String> properties() {
    try {
      return kafkaConfig == null
          ? Map.of()
          : KafkaConfig.readProperties(StandardStream.device(kafkaConfig));
    } catch (IOException e) {
      throw CommandFailure.ofPlace(e);
    }
  }
}
