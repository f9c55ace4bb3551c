package io.tunnel.server.node;

import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.replica.KnownPartitions;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.append.AppendReplicas;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.append.SimAppendReplicas;
import io.tunnel.server.replica.append.SimStorage;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest.Question;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Replicas of a log with a record for each append.
 *
 * @param retentionMicros how long the local logs keep changes
 * @param markers random numbers
 * @param peers the other nodes
 */
public record SimAppendEngine(
    SimStorage storage,
    ReadableAppendLog log,
    SimAppendReplicas.Reached reach,
    long retentionMicros,
    LongSupplier markers,
    Others peers)
    implements SimEngine {

  private static final ReplicaConfig REPLICA =
      new ReplicaConfig(
          new ReplicaConfig.Batches(4_096, 7, 4_096, 16L << 20, 8_192),
          new ReplicaConfig.Times(10_000, 50, 2_000, 2_000, SimClusterNode.READ_AGE_MS_MAX),
          new ReplicaConfig.History(0, 2_000, 8_000, 2),
          10);

  /** Asks another node by its name, over the simulated network. */
  @FunctionalInterface
  public interface Others {
    /** As {@link Peers#ask}. */
    CompletableFuture<List<Part>> ask(String node, List<Question> questions);
  }

  @Override
  public LogForm form() {
    return LogForm.APPENDS;
  }

  @Override
  public Opened open(Node node) throws IOException {
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
    SimAppendReplicas copies =
        new SimAppendReplicas(
            storage,
            REPLICA,
            new SimAppendReplicas.Given(
                log,
                new AppendReplicas.Self(node.self().name(), node.self().incarnation(), markers),
                new AppendReplicas.Known(
                    OwnCatalog.ofCache(node.catalog()), known, partition -> retentionMicros),
                node.placement()::leaderElsewhere,
                reach,
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
            copies.looks(),
            (member, questions) -> peers.ask(member.name(), questions),
            new LeaderLooks.Timing(node.clock()::nanos, later));
    return new Opened(
        copies, new AppendEngine((AppendReplicas) copies.all(), copies.looks(), leaders));
  }
}
