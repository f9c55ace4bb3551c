package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import java.util.Map;
import java.util.SortedMap;

/** The replicas of a simulated node: real ones, whose threads are the simulation's. */
public interface SimCopies {

  /** As the rest of the node sees them. */
  NodeReplicas all();

  /** How many shards there are. */
  int count();

  /** Whether nothing waits for a shard. */
  boolean isIdle(int shard);

  /** Lets a shard do what waits, and what it is time for. */
  void step(int shard);

  /** Lets the local logs forget what is too old. */
  void retain(long nowMicros);

  /** Whether a shard has failed. */
  boolean hasFailed();

  /** Whether writes to the partition are taken here. */
  boolean isWritable(int partition);

  /** The rows of a partition by encoded keys. */
  SortedMap<Bytes, ? extends Map<String, ?>> rows(int partition);

  /** When the rows of a partition were committed, by key. */
  SortedMap<Bytes, Long> commitTimes(int partition);
}
