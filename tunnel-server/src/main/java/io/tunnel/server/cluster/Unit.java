package io.tunnel.server.cluster;

/**
 * The number of a unit, which one node at a time leads: a partition's id when positive, the catalog
 * when 0, a group of tunnels when negative.
 */
public final class Unit {

  /** The catalog: tables and their partitions. */
  public static final int CATALOG = 0;

  /** Number of groups that the tunnels of a cluster are spread over, by table. */
  public static final int TUNNEL_GROUPS = 16;

  private Unit() {}

  /** The unit of the group that has a table's tunnels. */
  public static int ofTunnels(int tableId) {
    return -1 - tableId % TUNNEL_GROUPS;
  }

  /** The unit of a group of tunnels; groups count from 0. */
  public static int ofGroup(int group) {
    return -1 - group;
  }

  /** The number of the group of tunnels with this unit. */
  public static int groupOf(int unit) {
    return -1 - unit;
  }

  /** Whether the unit is a partition. */
  public static boolean isPartition(int unit) {
    return unit > CATALOG;
  }

  /** Whether the unit is a group of tunnels. */
  public static boolean isTunnels(int unit) {
    return unit < CATALOG;
  }
}
