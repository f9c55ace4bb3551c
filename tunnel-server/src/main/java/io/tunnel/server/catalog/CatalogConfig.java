package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

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

  /**
   * Refuses a table with {@code added} partitions in addition to the present tables and partitions.
   */
  void requireTable(int tables, int partitions, int added) {
    requireRoom(tables, 1, tablesMax, "tables", "tablesMax");
    requireRoom(partitions, added, partitionsMax, "partitions", "partitionsMax");
  }

  /**
   * Refuses a tunnel with {@code added} channels in addition to the table's tunnels and all
   * channels.
   */
  void requireTunnel(int ofTable, long channels, int added) {
    requireRoom(ofTable, 1, tunnelsOfTableMax, "tunnels of the table", "tunnelsOfTableMax");
    requireRoom(channels, added, channelsMax, "channels", "channelsMax");
  }

  private static void requireRoom(long present, long added, int max, String what, String setting) {
    if (present + added > max) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "there are "
              + present
              + " "
              + what
              + ", and "
              + added
              + " more would be over catalog."
              + setting
              + " = "
              + max
              + "; delete unused ones, or raise the limit in the server's configuration");
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
