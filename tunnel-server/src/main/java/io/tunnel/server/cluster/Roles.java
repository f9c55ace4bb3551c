package io.tunnel.server.cluster;

import java.util.Set;

/**
 * Makes a node lead, follow or leave units. One thread calls all methods; each is idempotent and
 * returns at once.
 */
public interface Roles {

  /** Keeps a replica of a partition, and does not lead it. */
  void follow(int partition);

  /** Leads a unit as soon as possible, with a replica if the unit is a partition. */
  void lead(int unit);

  /** Neither leads a unit nor keeps a replica; files of the replica may be deleted. */
  void leave(int unit);

  /** Units that this node leads or is about to. */
  Set<Integer> leads();

  /** Partitions with a replica on this node, including replicas of a former process. */
  Set<Integer> replicas();

  /** Partitions whose replica on this node is nearly up to date. */
  Set<Integer> warm();
}
