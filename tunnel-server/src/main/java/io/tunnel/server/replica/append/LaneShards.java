package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.SeenPlaces;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardLog;
import io.tunnel.server.partition.ShardLogs;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.replica.Incidents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Makes the logs of the shards of a node, and then the keepers of the shards. */
final class LaneShards implements ShardLogs {

  private final AppendReplicas.Ports ports;
  private final long readBytesMax;
  private final long outcomeMsMax;
  private final Shard.Clock clock;
  private final Map<Integer, LaneKeeper.Opened> opened = new TreeMap<>();
  private final Map<Integer, AtomicReference<LaneKeeper>> made = new TreeMap<>();

  /**
   * Nothing is opened yet.
   *
   * @param readBytesMax of records that were read and wait
   * @param outcomeMsMax see {@link LaneAnswers}
   */
  LaneShards(AppendReplicas.Ports ports, long readBytesMax, long outcomeMsMax, Shard.Clock clock) {
    this.ports = ports;
    this.readBytesMax = readBytesMax;
    this.outcomeMsMax = outcomeMsMax;
    this.clock = clock;
  }

  /** With the limits of a node. */
  static LaneShards of(
      AppendReplicas.Layout layout, AppendReplicas.Ports ports, Shard.Clock clock) {
    return new LaneShards(
        ports,
        layout.replica().batches().readBytesMax() / layout.shards().count(),
        layout.replica().times().outcomeDeadlineMs(),
        clock);
  }

  AppendReplicas.Ports ports() {
    return ports;
  }

  Shard.Clock clock() {
    return clock;
  }

  @Override
  public SeenPlaces places(int shard, Map<Integer, Bytes> stored) {
    return new SeenRecords(stored);
  }

  /** Neither log nor tail tells anything before the keeper begins a replica. */
  @Override
  public ShardLog open(int shard, LocalLog local, SeenPlaces places, Consumer<Runnable> posts) {
    AtomicReference<LaneKeeper> keeper = new AtomicReference<>();
    PacedTail tail =
        new PacedTail(ports.log(), readBytesMax, event -> keeper.get().happened(event));
    LaneWiring wiring =
        new LaneWiring(
            ports.log(),
            tail.tail(),
            ports.self().markers(),
            new AppendValue.Leader(ports.self().node(), ports.self().start()),
            posts,
            clock);
    LaneAnswers answers = new LaneAnswers(ports.leaders(), outcomeMsMax);
    Incidents incidents = new Incidents();
    SharedShardLog log = new SharedShardLog(local, wiring, new Told(keeper), answers, incidents);
    opened.put(shard, new LaneKeeper.Opened((SeenRecords) places, log, tail, incidents));
    made.put(shard, keeper);
    return log;
  }

  private record Told(AtomicReference<LaneKeeper> keeper) implements SharedShardLog.Notices {
    @Override
    public void lost(int partition, String cause) {
      keeper.get().lost(partition, cause);
    }

    @Override
    public void said(int partition, long offset, AppendValue value) {
      keeper.get().said(partition, offset, value);
    }
  }

  /** The keepers of the shards, in the order of the shards. */
  List<LaneKeeper> keepers(Shards shards) {
    List<LaneKeeper> keepers = new ArrayList<>();
    for (int id = 0; id < opened.size(); id++) {
      LaneKeeper keeper = new LaneKeeper(id, shards.all().get(id), opened.get(id), ports, clock);
      made.get(id).set(keeper);
      keepers.add(keeper);
    }
    return keepers;
  }

  /** The log of a shard. */
  SharedShardLog log(int shard) {
    return opened.get(shard).log();
  }

  /** The partitions that the tables and local logs have. */
  Set<Integer> stored() {
    Set<Integer> stored = new TreeSet<>();
    opened.values().forEach(each -> stored.addAll(each.seen().partitions()));
    return stored;
  }
}
