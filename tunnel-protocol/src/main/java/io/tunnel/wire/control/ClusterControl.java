package io.tunnel.wire.control;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.Level;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The payloads of operations of cluster nodes. */
public sealed interface ClusterControl extends Control {

  /**
   * Asks the leader of a partition to deliver a channel.
   *
   * @param tunnelId the id of the tunnel
   * @param channelId the id of the channel, unique among all tunnels
   * @param partition the channel's partition
   * @param type the contents of the channel
   * @param epoch the epoch of the session's holding; refused with FENCED once the node has seen a
   *     higher epoch of the channel
   * @param position the position to start after
   * @param key BaseData only: the encoded key of the row at {@code position}; empty before the
   *     first row
   * @param end the last position of the channel, if known
   * @param endMs the tunnel's end in time, if any: while {@code end} is unknown, only changes
   *     committed before this time are delivered; milliseconds since 1970
   * @param grant the newest grant of the channel that the session has got
   * @param incarnation Stream only: the incarnation of {@code position}, if known; the node refuses
   *     with POSITION_REPLACED when the changes up to the position were lost since
   */
  record Attach(
      String tunnelId,
      String channelId,
      int partition,
      ChannelType type,
      long epoch,
      long position,
      Bytes key,
      Optional<Long> end,
      Optional<Long> endMs,
      Bytes grant,
      Optional<Long> incarnation)
      implements ClusterControl {
    /** Refuses null, positions under 0 and a time before 1970. */
    public Attach {
      Objects.requireNonNull(tunnelId, "tunnelId");
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(grant, "grant");
      end = end == null ? Optional.empty() : end;
      endMs = endMs == null ? Optional.empty() : endMs;
      incarnation = incarnation == null ? Optional.empty() : incarnation;
      Control.requireSince1970("endMs", endMs);
      if (incarnation.orElse(1L) < 1) {
        throw new IllegalArgumentException("incarnations are at least 1, not " + incarnation);
      }
      if (position < 0 || end.orElse(0L) < 0) {
        throw new IllegalArgumentException(
            "positions are at least 0, not " + position + " and " + end);
      }
    }

    /** A copy with the grant that proves the epoch. */
    public Attach withGrant(Bytes given) {
      return new Attach(
          tunnelId,
          channelId,
          partition,
          type,
          epoch,
          position,
          key,
          end,
          endMs,
          given,
          incarnation);
    }

    /** A copy for a channel with an end. */
    public Attach endingAt(Optional<Long> position, Optional<Long> ms) {
      return new Attach(
          tunnelId,
          channelId,
          partition,
          type,
          epoch,
          this.position,
          key,
          position,
          ms,
          grant,
          incarnation);
    }

    /** A copy for a worker that knows the incarnation of the position. */
    public Attach seenIn(Optional<Long> known) {
      return new Attach(
          tunnelId, channelId, partition, type, epoch, position, key, end, endMs, grant, known);
    }

    /** The position with its incarnation, if known. */
    public Optional<KnownPosition> known() {
      return incarnation.map(in -> new KnownPosition(position, in));
    }

    /** Asks without an incarnation. */
    public Attach(
        String tunnelId,
        String channelId,
        int partition,
        ChannelType type,
        long epoch,
        long position,
        Bytes key,
        Optional<Long> end,
        Optional<Long> endMs,
        Bytes grant) {
      this(
          tunnelId,
          channelId,
          partition,
          type,
          epoch,
          position,
          key,
          end,
          endMs,
          grant,
          Optional.empty());
    }
  }

  /**
   * The channel is delivered on this connection.
   *
   * @param handle names the channel in all frames of this connection
   * @param incarnation the incarnation of the deliveries, see {@link KnownPosition}, to keep or
   *     checkpoint with their positions
   */
  record Attached(int handle, Optional<Long> incarnation) implements ClusterControl {
    /** Without an incarnation. */
    public Attached(int handle) {
      this(handle, Optional.empty());
    }

    /** Takes null for no incarnation. */
    public Attached {
      incarnation = incarnation == null ? Optional.empty() : incarnation;
    }
  }

  /**
   * A member of the cluster.
   *
   * @param address the address for clients, as HOST:PORT
   * @param leads the partitions that the node leads
   * @param standbys the partitions that the node only replicates
   * @param tunnelGroups how many groups of tunnels the node coordinates
   * @param isCatalogLeader whether the node decides about tables
   * @param levelMax the highest level that the node's build serves
   */
  record NodeDescription(
      String name,
      String incarnation,
      String address,
      boolean isDraining,
      List<Integer> leads,
      List<Integer> standbys,
      int tunnelGroups,
      boolean isCatalogLeader,
      int levelMax) {
    /** Refuses null and copies the lists. */
    public NodeDescription {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(incarnation, "incarnation");
      Objects.requireNonNull(address, "address");
      leads = List.copyOf(Objects.requireNonNull(leads, "leads"));
      standbys = List.copyOf(Objects.requireNonNull(standbys, "standbys"));
    }
  }

  /**
   * A former member.
   *
   * @param lastSeenMs when the answering node last saw the member, in milliseconds since 1970
   */
  record GoneNode(String name, String address, long lastSeenMs) {
    /** Refuses null. */
    public GoneNode {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(address, "address");
    }
  }

  /**
   * The cluster, as seen by the answering node.
   *
   * @param name the prefix of the cluster's topics
   * @param generation grows with every new placement
   * @param node the name of the answering node
   * @param gone former members that the node has seen since its start
   * @param level the level of the cluster
   */
  record ClusterDescription(
      String name,
      long generation,
      String node,
      List<NodeDescription> nodes,
      List<GoneNode> gone,
      int level)
      implements ClusterControl {
    /** Refuses null and copies the lists. */
    public ClusterDescription {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(node, "node");
      nodes = List.copyOf(Objects.requireNonNull(nodes, "nodes"));
      gone = List.copyOf(Objects.requireNonNull(gone, "gone"));
    }
  }

  /**
   * A replica of a partition, on one node.
   *
   * @param role FOLLOWING, CLAIMING, LEADING, FAILED or OUTDATED
   * @param epoch the newest epoch that the replica has read
   * @param next the position to read next
   * @param end the last seen end of the log, or {@link #UNKNOWN} where the lag of the replica is
   *     unknown
   * @param error why the replica is FAILED or OUTDATED; absent in any other role
   */
  record ReplicaStatus(
      int partition, String role, long epoch, long next, long end, Optional<String> error) {

    /** Stands for an end, or a distance, that is unknown. */
    public static final long UNKNOWN = -1;

    /** Refuses a role that is null; an absent error may be null. */
    public ReplicaStatus {
      Objects.requireNonNull(role, "role");
      error = error == null ? Optional.empty() : error;
    }

    /** Without an error. */
    public ReplicaStatus(int partition, String role, long epoch, long next, long end) {
      this(partition, role, epoch, next, end, Optional.empty());
    }

    /** How many positions the replica lags, or {@link #UNKNOWN}. */
    public long lag() {
      return end == UNKNOWN ? UNKNOWN : Math.max(0, end - next);
    }
  }

  /** A part of what a node says of itself. */
  enum NodePart {
    /** The progress of its replicas. */
    REPLICAS,
    /** Its newest figures. */
    FIGURES
  }

  /**
   * Asks a node for a part of its status.
   *
   * @param part the part that the answer has
   */
  record DescribeNode(NodePart part) implements ClusterControl {
    /** Refuses null, which is also what a part of a later version is read as. */
    public DescribeNode {
      Objects.requireNonNull(part, "part");
    }
  }

  /**
   * The replicas of a node, or its figures.
   *
   * @param replicas empty in an answer with figures
   * @param figures present only when the request asked for figures, and the node samples them
   */
  record NodeStatus(String name, List<ReplicaStatus> replicas, Optional<NodeFigures> figures)
      implements ClusterControl {
    /** Refuses null and copies the list. */
    public NodeStatus {
      Objects.requireNonNull(name, "name");
      replicas = List.copyOf(Objects.requireNonNull(replicas, "replicas"));
      figures = figures == null ? Optional.empty() : figures;
    }

    /** Without figures. */
    public NodeStatus(String name, List<ReplicaStatus> replicas) {
      this(name, replicas, Optional.empty());
    }
  }

  /**
   * The newest figures of a node.
   *
   * @param atMs when the node sampled the figures, by its clock, in milliseconds since 1970
   * @param values the figures that are known
   * @param tunnels the tunnels that the node coordinates, those that need attention first; at most
   *     100
   */
  record NodeFigures(long atMs, List<FigureValue> values, List<TunnelLag> tunnels) {
    /** Refuses null and copies the lists. */
    public NodeFigures {
      values = List.copyOf(Objects.requireNonNull(values, "values"));
      tunnels = List.copyOf(Objects.requireNonNull(tunnels, "tunnels"));
    }
  }

  /**
   * A figure of a node.
   *
   * @param name as docs/operate/console.md lists the names
   */
  record FigureValue(String name, double value) {
    /** Refuses null. */
    public FigureValue {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * How far a tunnel lags.
   *
   * @param lagSeconds age of the oldest change that is not checkpointed; empty if it is not known
   * @param lagChanges changes that are not checkpointed, of all stream channels; -1 if those of a
   *     stream channel are unknown
   * @param channels all channels
   * @param stopped channels that wait for an operator
   * @param lost channels that lost changes to retention
   * @param historyLeftSeconds until retention may delete a change that is not checkpointed; 0 when
   *     a change is lost; empty without such a change
   */
  record TunnelLag(
      String table,
      String tunnel,
      Optional<Double> lagSeconds,
      long lagChanges,
      int channels,
      long stopped,
      long lost,
      int sessions,
      Optional<Double> historyLeftSeconds) {
    /** Refuses null; an absent figure may be null. */
    public TunnelLag {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
      lagSeconds = lagSeconds == null ? Optional.empty() : lagSeconds;
      historyLeftSeconds = historyLeftSeconds == null ? Optional.empty() : historyLeftSeconds;
    }
  }

  /**
   * Empties a node, so that clients do not notice its stop.
   *
   * @param isDraining false to let the node take part again
   */
  record DrainNode(boolean isDraining) implements ClusterControl {}

  /**
   * Raises the level of a cluster, or of a single server.
   *
   * @param to the level to raise to, which changes nothing where the level is as high already;
   *     empty only to look
   */
  record Upgrade(Optional<Integer> to) implements ClusterControl {
    /** Takes null for empty, and refuses a number that is no level. */
    public Upgrade {
      to = to == null ? Optional.empty() : to;
      to.ifPresent(level -> Level.require("to", level));
    }
  }

  /**
   * What a server that has to serve the level can serve.
   *
   * @param name the name of the node
   * @param levelMax the highest level that the node's build serves
   */
  record NodeLevel(String name, int levelMax) {
    /** Refuses null. */
    public NodeLevel {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * The level, and what each server that has to serve it can serve.
   *
   * @param level the level now
   * @param nodes in the order of their names
   */
  record Levels(int level, List<NodeLevel> nodes) implements ClusterControl {
    /** Refuses null and copies the list. */
    public Levels {
      nodes = List.copyOf(Objects.requireNonNull(nodes, "nodes"));
    }
  }
}
