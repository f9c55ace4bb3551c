package io.tunnel.server.kafka;

import io.tunnel.server.cluster.Unit;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What there is of a cluster before a node makes any topic. A new cluster has nothing, or topics
 * without a record, since a start may have ended between any two of them. The catalog's topic is
 * made first, and is written to before a table can be made.
 *
 * @param cluster its name
 * @param hasCatalog whether the topic of the catalog is there
 * @param isCatalogUsed whether that has ever had a record
 * @param hasTunnels whether the topic of tunnels is there
 * @param usedTables topics of tables that have ever had a record
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

  /** Why nothing may be made beside this, and how to go on; nothing where there is no reason. */
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
          "topic %s does not exist, but %s has records: tunnels and checkpoints of cluster %s are lost, and none are made in their place. Is --bootstrap right? Then restore topic %s from a backup of Kafka. To go on without any tunnel, make it by hand, with %d partitions and cleanup.policy=compact, and start again: the start says which settings it lacks."
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
