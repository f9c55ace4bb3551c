package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.SeenPlaces;
import io.tunnel.server.partition.ShardLog;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A node of a test: its replicas of partitions of a {@link SimAppendLogs}, and the log of its
 * shard.
 */
public final class SimNode {

  private final SimAppendLogs logs;
  private final SharedShardLog log;
  private final TreeMap<Integer, SharedLane> lanes = new TreeMap<>();

  /**
   * A node that goes on from what it has stored of {@code partitions}.
   *
   * @param places as {@link #places} made them, with what the local log has
   */
  public SimNode(
      int id,
      SimAppendLogs logs,
      int partitions,
      LocalLog local,
      SeenPlaces places,
      Consumer<Runnable> posts) {
    this.logs = logs;
    this.log = new SharedShardLog(local, logs.of(id), logs::marker, posts::accept);
    for (int partition = 1; partition <= partitions; partition++) {
      lanes.put(partition, log.begin(partition, ((SeenRecords) places).state(partition)));
    }
  }

  /** How far a table has the logs. */
  public static SeenPlaces places(Map<Integer, Bytes> states) {
    return new SeenRecords(states);
  }

  /** The log of the node's shard. */
  public ShardLog log() {
    return log;
  }

  /** Wants to lead a partition, or no more. */
  public void want(int partition, boolean toLead, long nowMs) {
    if (toLead) {
      lanes.get(partition).lead(TimeUnit.MILLISECONDS.toNanos(nowMs));
    } else {
      lanes.get(partition).follow();
    }
  }

  /** Claims the partitions that the node wants to lead and does not, if it is time. */
  public void tick(long nowMs) {
    lanes.values().forEach(lane -> lane.tick(TimeUnit.MILLISECONDS.toNanos(nowMs), nowMs));
  }

  /** Whether the node appends to a partition. */
  public boolean isLeading(int partition) {
    return lanes.get(partition).isLeading();
  }

  /** Whether the node has read everything. */
  public boolean isCaughtUp() {
    return lanes.entrySet().stream()
        .allMatch(lane -> lane.getValue().next() == logs.records(lane.getKey()).size());
  }

  /** Reads a few records of each partition. */
  public void read(SplittableRandom random) {
    lanes.forEach(
        (partition, lane) -> {
          for (int count = random.nextInt(4); count > 0; count--) {
            if (lane.next() < logs.records(partition).size()) {
              int offset = (int) lane.next();
              SimAppendLogs.Landed record = logs.records(partition).get(offset);
              log.read(partition, offset, record.header, record.value);
            }
          }
        });
  }
}
