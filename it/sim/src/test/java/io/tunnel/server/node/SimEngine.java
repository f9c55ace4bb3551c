package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.partition.ExpirySweeps;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.KnownPartitions;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.append.AppendReplicas;
import io.tunnel.server.replica.append.SimReplicas;
import io.tunnel.server.replica.append.SimStorage;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest.Question;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The engine of a simulated node's partitions.
 *
 * @param retentionMicros how long the logs keep changes
 * @param markers random numbers
 * @param peers the other nodes
 */
public record SimEngine(
    SimStorage storage,
    SimReplicas.Shared shared,
    long retentionMicros,
    LongSupplier markers,
    Others peers) {

  private static final ReplicaConfig REPLICA =
      new ReplicaConfig(
          new ReplicaConfig.Batches(8_192),
          new ReplicaConfig.Times(10_000, SimClusterNode.READ_AGE_MS_MAX),
          new ReplicaConfig.History(0, 2_000, 8_000, 2),
          10);

  private static final int EXPIRED_ROWS_PER_SECOND_MAX = 1_000;

  /** Asks another node by its name, over the simulated network. */
  @FunctionalInterface
  public interface Others {
    /** As {@link Peers#ask}. */
    CompletableFuture<List<Part>> ask(String node, List<Question> questions);
  }

  /** What an engine needs of its node. */
  public record Node(
      SimClusterNode.Self self,
      Catalog catalog,
      LastPlacement placement,
      ScheduledExecutorService control,
      Shard.Clock clock) {}

  /** Open replicas. */
  record Opened(SimReplicas copies, PartitionEngine engine) {}

  /** Opens what the node has on its disks. */
  Opened open(Node node) throws IOException {
    KnownPartitions known =
        new KnownPartitions() {
          @Override
          public boolean exists(int partition) {
            return node.catalog().hasPartition(partition);
          }

          @Override
          public boolean isDropped(int partition) {
            return node.catalog().isDroppedPartition(partition);
          }
        };
    SimReplicas copies =
        new SimReplicas(
            storage,
            REPLICA,
            new SimReplicas.Given(
                shared,
                new AppendReplicas.Self(node.self().name(), node.self().incarnation(), markers),
                new AppendReplicas.Known(
                    OwnCatalog.ofCache(node.catalog()),
                    known,
                    partition -> retentionMicros,
                    partition -> 0,
                    () -> true),
                node.placement()::leaderElsewhere,
                new VerifiedElsewhere(
                    node.self().name(),
                    node.placement()::get,
                    (member, questions) -> peers.ask(member.name(), questions)),
                node.clock()));
    Later later =
        (ms, action) -> {
          var unused = node.control().schedule(action, ms, TimeUnit.MILLISECONDS);
          return true;
        };
    LeaderLooks leaders =
        new LeaderLooks(
            node.self().name(),
            node.placement()::get,
            copies.all().looks(),
            (member, questions) -> peers.ask(member.name(), questions),
            new LeaderLooks.Timing(node.clock()::nanos, later),
            partition -> "partition " + partition);
    AppendReplicas all = copies.all();
    RowLives lives =
        new RowLives(
            new ExpirySweeps(node.catalog(), all.shards(), EXPIRED_ROWS_PER_SECOND_MAX), later);
    return new Opened(copies, new AppendEngine(all, all.looks(), leaders, lives));
  }
}
