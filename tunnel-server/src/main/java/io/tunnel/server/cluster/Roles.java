package io.tunnel.server.cluster;

import java.util.Set;

/**
 * What a node does about units, done by the rooms that they belong to. Every method may be called
 * again with what is already so, returns at once, and is called by one thread.
 */
public interface Roles {

  /** Keeps a replica of a partition, and leads it no longer. */
  void follow(int partition);

  /** Leads a unit as soon as it can, with a replica if it is a partition. */
  void lead(int unit);

  /** Does not lead a unit and keeps no replica; what is on disk may go. */
  void leave(int unit);

  /** Units that it leads, or is about to. */
  Set<Integer> leads();

  /** Partitions of which there is a replica, also one that was left by a former process. */
  Set<Integer> replicas();

  /** Partitions of which the replica is nearly up to date. */
  Set<Integer> warm();
}
