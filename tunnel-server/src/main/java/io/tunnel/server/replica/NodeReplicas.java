package io.tunnel.server.replica;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A node's replicas of partitions of a shared log. A replica is a cache of the log: a node resumes
 * stored replicas at its start, and reads everything else again. Safe for use by any thread.
 */
public interface NodeReplicas extends ChangeReader, PartitionHosts, Closeable {

  /** Keeps a replica of a partition, and stops leading the partition. Returns at once. */
  void follow(int partition);

  /** Leads a partition as soon as its replica has caught up with the log. Returns at once. */
  void lead(int partition);

  /** Stops leading a partition and deletes the replica. Returns at once. */
  void leave(int partition);

  /** Partitions that this node leads, or was assigned to lead; without those of failed shards. */
  Set<Integer> leads();

  /** Partitions with a replica on this node, also replicas that have not caught up yet. */
  Set<Integer> replicas();

  /** Partitions whose replica is nearly up to date; see {@link ReplicaConfig#warmLagMax}. */
  Set<Integer> warm();

  /** Whether this node answers reads of a partition's rows, and delivers the changes. */
  boolean isServing(int partition);

  /** Whether this node has a replica of a partition that has read the log up to the end. */
  boolean isCaughtUp(int partition);

  /**
   * Estimates the rows of a partition, counting them one by one up to {@code countedMax}; empty if
   * the node has no replica of the partition, or the replica has not caught up yet.
   */
  OptionalLong rowEstimate(int partition, long countedMax);

  /** Does what time has made due, as claims; to be called many times a second. */
  default void tick() {}

  /** Asks the log for the ends of partitions, for {@link #status} and {@link #warm}. */
  void lookAtEnds();

  /** The status of all replicas, sorted by partition. */
  List<ReplicaStatus> status();

  /** Figures of all replicas together. */
  ReplicaFigures figures();

  /** Figures of the snapshots of all replicas together. */
  default SnapshotFigures snapshots() {
    return SnapshotFigures.NONE;
  }

  /** Free bytes of the disk that has the fewest; asks the file system. */
  long freeBytes();

  /** The condition of the disk of each shard, by the shard's name. */
  Map<String, Supplier<DiskCondition>> conditions();

  /** The worst disk condition of all shards. */
  DiskCondition condition();

  /** How often an incident has happened since the start. */
  long count(Incident what);

  /**
   * Trims the local logs: changes that the shared log need not keep any more, and changes beyond
   * the local logs' bytes. Drops changes in memory that were read for channels of partitions that
   * other nodes serve now.
   *
   * @param nowMicros microseconds since 1970
   */
  void retain(long nowMicros);

  /** The incarnations of the partitions' logs, as far as this node's replicas have read them. */
  Incarnations incarnations();

  /**
   * Answers all waiting requests, stops the threads, and closes all files. For a quick change of
   * leaders resign first, with {@link #follow}.
   */
  @Override
  void close() throws IOException;
}
