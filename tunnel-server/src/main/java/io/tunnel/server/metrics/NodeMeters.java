package io.tunnel.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.replica.ReplicaFigures;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The meters that a node of a cluster has beside those of every server. */
public final class NodeMeters {

  private final MeterRegistry registry;
  private final MultiGauge replicaLag;

  // Referenced here, because the registry has only weak references to the objects that it reads.
  // Each of them is set before the meters that read it are registered.

  private volatile Supplier<Standing> standing;
  private volatile Supplier<ReplicaFigures> replicas;
  private volatile ToLongFunction<Incident> incidents;

  /** Adds to {@code meters}. */
  public NodeMeters(ServerMeters meters) {
    registry = meters.registry();
    replicaLag =
        MultiGauge.builder("tunnel.replica.lag")
            .description("Positions that a replica is behind the end of its log")
            .register(registry);
  }

  /**
   * A node's place in its cluster at one moment.
   *
   * @param nodes members of the cluster, as this node was told last
   * @param generation of what it was told
   * @param partitions of all tables that its catalog has
   * @param groupsLed groups of tunnels whose sessions it coordinates now
   * @param isCatalogLed whether it decides about tables now
   * @param isDraining whether it was asked to be emptied
   * @param attached channels that it delivers now
   * @param placements how often it was told what to do
   * @param losses how often the cluster had forgotten it
   * @param takenBack checkpoints that it took back, because the log had lost what they were of
   * @param level the level of the cluster, as it has read it
   * @param levelMax the highest level that its build serves
   */
  public record Standing(
      int nodes,
      long generation,
      int partitions,
      int groupsLed,
      boolean isCatalogLed,
      boolean isDraining,
      int attached,
      long placements,
      long losses,
      long takenBack,
      int level,
      int levelMax) {}

  /**
   * Adds what the node knows of its replicas and their disks.
   *
   * @param reservedBytes writes are refused while a disk has fewer bytes left
   */
  public void watch(NodeReplicas watched, long reservedBytes) {
    replicas = watched::figures;
    incidents = watched::count;
    new SnapshotMeters(registry, watched::snapshots).register();
    replicas(
        "tunnel.node.replicas", "Partitions with a replica on this node", ReplicaFigures::replicas);
    replicas("tunnel.node.leads", "Partitions led", ReplicaFigures::leading);
    replicas(
        "tunnel.node.replicas.behind",
        "Replicas that have not read up to the end of the log at their start",
        ReplicaFigures::behind);
    replicas(
        "tunnel.node.replicas.unread",
        "Positions that fresh replicas must read before they can serve",
        ReplicaFigures::unread);
    replicas(
        "tunnel.node.read.waiting.bytes",
        "Records read and not folded",
        ReplicaFigures::waitingReadBytes);
    replicas(
        "tunnel.node.write.waiting.bytes",
        "Batches accepted and not answered",
        ReplicaFigures::waitingWriteBytes);
    replicas("tunnel.log.bytes", "Bytes of local logs", ReplicaFigures::localBytes);
    replicas(
        "tunnel.node.history.held.bytes",
        "Changes read from Kafka for channels behind the local log, and held",
        ReplicaFigures::heldBytes);
    total(
        "tunnel.node.history.reads",
        "Times that changes were read from Kafka because the local log has them no more",
        ReplicaFigures::historyReads);
    total("tunnel.node.history.bytes", "Their bytes", ReplicaFigures::historyBytes);
    replicas("tunnel.shard.failed", "Shards that failed", ReplicaFigures::failedShards);
    replicas("tunnel.disk.full", "Shards whose disk has no room", ReplicaFigures::fullShards);
    replicas(
        "tunnel.disk.stalled",
        "Shards whose disk needs longer than 3 s for a write",
        ReplicaFigures::stalledShards);
    Gauge.builder("tunnel.disk.free.bytes", watched::freeBytes)
        .description("Free bytes of the disk that has the fewest")
        .strongReference(true)
        .register(registry);
    Gauge.builder("tunnel.disk.reserved.bytes", () -> reservedBytes)
        .description("Writes are refused while a disk has fewer bytes left")
        .strongReference(true)
        .register(registry);
    for (Incident what : Incident.values()) {
      FunctionCounter.builder(name(what), this, of -> (double) of.incidents.applyAsLong(what))
          .description(description(what))
          .register(registry);
    }
  }

  private static String name(Incident what) {
    return switch (what) {
      case CLAIMED -> "tunnel.replica.claims";
      case LED -> "tunnel.replica.leads";
      case FENCED -> "tunnel.replica.fenced";
      case APPEND_FAILED -> "tunnel.replica.append.failures";
      case READ_TOO_OLD -> "tunnel.replica.old.reads";
      case BEGUN_ANEW -> "tunnel.replica.restarts";
    };
  }

  private static String description(Incident what) {
    return switch (what) {
      case CLAIMED -> "Markers appended to lead a partition";
      case LED -> "Times that a replica began to lead";
      case FENCED -> "Records read that do not count: of a former leader, or after a failed append";
      case APPEND_FAILED -> "Appends that failed, or whose outcome stays unknown";
      case READ_TOO_OLD -> "Reads of rows refused, because the log had not confirmed them for long";
      case BEGUN_ANEW -> "Replicas given up and made again from the log's beginning";
    };
  }

  private void total(String name, String description, ToDoubleFunction<ReplicaFigures> figure) {
    FunctionCounter.builder(name, this, of -> figure.applyAsDouble(of.replicas.get()))
        .description(description)
        .register(registry);
  }

  private void replicas(String name, String description, ToDoubleFunction<ReplicaFigures> figure) {
    Gauge.builder(name, this, of -> figure.applyAsDouble(of.replicas.get()))
        .description(description)
        .register(registry);
  }

  /** Adds the node's place in its cluster. */
  public void watch(Supplier<Standing> asked) {
    standing = asked;
    gauge("tunnel.cluster.nodes", "Members of the cluster", Standing::nodes);
    gauge("tunnel.cluster.partitions", "Partitions of all tables", Standing::partitions);
    gauge("tunnel.cluster.generation", "What was decided last", Standing::generation);
    gauge("tunnel.node.groups", "Groups of tunnels led", Standing::groupsLed);
    gauge("tunnel.cluster.level", "The level of the cluster", Standing::level);
    gauge("tunnel.node.level.max", "The highest level of this build", Standing::levelMax);
    gauge(
        "tunnel.node.catalog",
        "1 on the node that leads the catalog",
        of -> of.isCatalogLed() ? 1 : 0);
    gauge(
        "tunnel.node.draining",
        "1 while the node is drained, and after",
        of -> of.isDraining() ? 1 : 0);
    gauge("tunnel.node.attached", "Channels delivered", Standing::attached);
    counter("tunnel.node.placements", "Decisions told", Standing::placements);
    counter("tunnel.node.losses", "Times that the cluster removed the node", Standing::losses);
    counter(
        "tunnel.node.checkpoints.taken.back",
        "Checkpoints rolled back, because the log had lost their changes",
        Standing::takenBack);
  }

  private void gauge(String name, String description, ToDoubleFunction<Standing> figure) {
    Gauge.builder(name, this, of -> figure.applyAsDouble(of.standing.get()))
        .description(description)
        .register(registry);
  }

  private void counter(String name, String description, ToDoubleFunction<Standing> figure) {
    FunctionCounter.builder(name, this, of -> figure.applyAsDouble(of.standing.get()))
        .description(description)
        .register(registry);
  }

  /** How far the replicas of a node are behind the ends of their logs; NaN where unknown. */
  public void lags(List<ReplicaStatus> status) {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (ReplicaStatus replica : status) {
      Tags tags =
          Tags.of("partition", Integer.toString(replica.partition()), "role", replica.role());
      rows.add(MultiGauge.Row.of(tags, replica.lag() < 0 ? Double.NaN : replica.lag()));
    }
    replicaLag.register(rows, true);
  }
}
