package io.tunnel.server.cluster;

/**
 * What one node at a time leads, as a number: the partition of that id when it is positive, the
 * catalog when it is 0, a group of tunnels when it is negative.
 */
public final class Unit {

  /** Tables and their partitions. */
  public static final int CATALOG = 0;

  /** Groups that the tables of a cluster, and with them their tunnels, are spread over. */
  public static final int TUNNEL_GROUPS = 16;

  private Unit() {}

  /** The group of tunnels that those of a table belong to. */
  public static int ofTunnels(int tableId) {
    return -1 - tableId % TUNNEL_GROUPS;
  }

  /** The unit of a group of tunnels, which counts from 0. */
  public static int ofGroup(int group) {
    return -1 - group;
  }

  /** The group of tunnels that a unit is. */
  public static int groupOf(int unit) {
    return -1 - unit;
  }

  /** Whether it is a partition of a table. */
  public static boolean isPartition(int unit) {
    return unit > CATALOG;
  }

  /** Whether it is a group of tunnels. */
  public static boolean isTunnels(int unit) {
    return unit < CATALOG;
  }
}
