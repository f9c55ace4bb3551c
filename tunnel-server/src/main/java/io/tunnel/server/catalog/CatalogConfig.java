package io.tunnel.server.catalog;

/**
 * Limits of a catalog. Tables and tunnels that exist stay when a limit is lowered.
 *
 * @param tablesMax tables
 * @param partitionsMax partitions of all tables
 * @param tunnelsOfTableMax tunnels of one table
 * @param channelsMax channels of all tunnels; in a cluster, of each group of tunnels
 */
public record CatalogConfig(
    int tablesMax, int partitionsMax, int tunnelsOfTableMax, int channelsMax) {

  /** Keeps descriptions small and the control thread quick. */
  public static final CatalogConfig DEFAULT = new CatalogConfig(1_024, 10_000, 64, 100_000);

  /** Refuses limits below 1. */
  public CatalogConfig {
    require(tablesMax, "tablesMax");
    require(partitionsMax, "partitionsMax");
    require(tunnelsOfTableMax, "tunnelsOfTableMax");
    require(channelsMax, "channelsMax");
  }

  private static void require(int limit, String name) {
    if (limit < 1) {
      throw new IllegalArgumentException("catalog." + name + " is at least 1, not " + limit);
    }
  }

  /** These limits for a cluster of {@code nodes}, whose placements name each partition. */
  public CatalogConfig forNodes(int nodes) {
    int possible = PARTITIONS_TIMES_NODES_MAX / Math.max(1, nodes);
    return new CatalogConfig(
        tablesMax, Math.min(partitionsMax, possible), tunnelsOfTableMax, channelsMax);
  }

  /**
   * Bounded by the one record in which Kafka keeps the members of a group with their placements.
   */
  static final int PARTITIONS_TIMES_NODES_MAX = 140_000;
}
