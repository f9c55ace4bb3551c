package io.tunnel.server.kafka;

import io.tunnel.server.cluster.Unit;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The topics of a cluster before a node creates any. A new cluster has no topic, or topics without
 * records, because a start may have ended between two of them. The catalog's topic is created
 * first, and has records before any table is created.
 *
 * @param cluster name of the cluster
 * @param hasCatalog whether the topic of the catalog exists
 * @param isCatalogUsed whether the topic of the catalog ever had a record
 * @param hasTunnels whether the topic of tunnels exists
 * @param usedTables topics of tables that ever had a record
 */
record FoundTopics(
    String cluster,
    boolean hasCatalog,
    boolean isCatalogUsed,
    boolean hasTunnels,
    Set<String> usedTables) {

  private static final int TOPICS_SHOWN_MAX = 5;

  /** Copies the set. */
  FoundTopics {
    usedTables = Set.copyOf(usedTables);
  }

  /**
   * Why no topic may be created alongside these, and how to continue; empty if topics may be
   * created.
   */
  Optional<String> objection() {
    String catalog = KafkaTopics.catalog(cluster);
    String tunnels = KafkaTopics.tunnels(cluster);
    if (!isCatalogUsed && !usedTables.isEmpty()) {
      return Optional.of(lostCatalog(shown() + " have records"));
    }
    if (!hasCatalog && hasTunnels) {
      return Optional.of(lostCatalog("topic " + tunnels + " is there"));
    }
    if (isCatalogUsed && !hasTunnels) {
      return Optional.of(
          "topic %s does not exist, but %s has records: tunnels and checkpoints of cluster %s are lost, and none are made in their place. Is --bootstrap right? Then restore topic %s from a backup of Kafka. To continue without any tunnel, make it by hand, with %d partitions and cleanup.policy=compact, and start again: the start says which settings it lacks."
              .formatted(tunnels, catalog, cluster, tunnels, Unit.TUNNEL_GROUPS));
    }
    return Optional.empty();
  }

  private String lostCatalog(String beside) {
    String catalog = KafkaTopics.catalog(cluster);
    return "topic %s %s, but %s: the catalog of cluster %s is lost, and none is made in its place. Are --bootstrap and --cluster right? Then restore topic %s from a backup of Kafka. To give up all tables of the cluster, delete the topics that begin with %s. and the nodes' directories."
        .formatted(
            catalog,
            hasCatalog ? "has no record" : "does not exist",
            beside,
            cluster,
            catalog,
            cluster);
  }

  private String shown() {
    String first =
        new TreeSet<>(usedTables)
            .stream().limit(TOPICS_SHOWN_MAX).collect(Collectors.joining(", "));
    int more = usedTables.size() - TOPICS_SHOWN_MAX;
    return "topics " + first + (more > 0 ? " and " + more + " more" : "");
  }
}
