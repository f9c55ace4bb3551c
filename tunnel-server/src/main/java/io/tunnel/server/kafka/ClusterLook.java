package io.tunnel.server.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/** Lists the topics of a cluster in Kafka, and changes nothing. */
record ClusterLook(KafkaConfig config, Admin admin) {

  /**
   * Finds the topics; see {@link FoundTopics}. Describes topics of tables only if the catalog is
   * empty, so that a node can start while some of their partitions are unavailable.
   */
  CompletableFuture<FoundTopics> look() {
    String catalog = KafkaTopics.catalog(config.cluster());
    return AdminFutures.of("list its topics", admin.listTopics().names())
        .thenCompose(
            names ->
                used(names.contains(catalog) ? Set.of(catalog) : Set.of())
                    .thenCompose(
                        used ->
                            used(used.isEmpty() ? tables(names) : Set.of())
                                .thenApply(tables -> found(names, !used.isEmpty(), tables))));
  }

  private Set<String> tables(Set<String> names) {
    return names.stream()
        .filter(name -> AppendTopics.tableOf(config.cluster(), name).isPresent())
        .collect(Collectors.toSet());
  }

  private FoundTopics found(Set<String> names, boolean isCatalogUsed, Set<String> usedTables) {
    return new FoundTopics(
        config.cluster(),
        names.contains(KafkaTopics.catalog(config.cluster())),
        isCatalogUsed,
        names.contains(KafkaTopics.tunnels(config.cluster())),
        usedTables);
  }

  /** The topics among {@code topics} that ever had a record. */
  CompletableFuture<Set<String>> used(Collection<String> topics) {
    if (topics.isEmpty()) {
      return CompletableFuture.completedFuture(Set.of());
    }
    return AdminFutures.of(
            "describe the topics " + topics, admin.describeTopics(topics).allTopicNames())
        .thenCompose(
            described -> {
              Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
              described.values().forEach(topic -> ask(topic, asked));
              return AdminFutures.of(
                  "tell the ends of the topics " + topics, admin.listOffsets(asked).all());
            })
        .thenApply(
            ends ->
                ends.entrySet().stream()
                    .filter(end -> end.getValue().offset() > 0)
                    .map(end -> end.getKey().topic())
                    .collect(Collectors.toSet()));
  }

  private static void ask(TopicDescription topic, Map<TopicPartition, OffsetSpec> asked) {
    topic
        .partitions()
        .forEach(
            partition ->
                asked.put(
                    new TopicPartition(topic.name(), partition.partition()), OffsetSpec.latest()));
  }
}
