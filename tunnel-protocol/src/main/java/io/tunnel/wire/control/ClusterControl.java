package io.tunnel.wire.control;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The payloads of operations that only the nodes of a cluster serve. */
public sealed interface ClusterControl extends Control {

  /**
   * Asks the leader of a partition to deliver a channel of it.
   *
   * @param tunnelId the tunnel
   * @param channelId names the channel among those of all tunnels
   * @param partition of the channel
   * @param type what the channel carries
   * @param epoch under which the session holds it; once the node has seen a higher one for this
   *     channel, it refuses this (FENCED)
   * @param position delivery starts behind it
   * @param key BaseData only: the encoded key of the row at {@code position}; empty before the
   *     first
   * @param end the position behind which it ends, if that is known
   * @param endMs the tunnel's, if it has one: as long as the end is not known, nothing is delivered
   *     that was committed at or after this moment, in milliseconds since 1970
   * @param grant as the assignment said it; absent from workers of older versions
   * @param incarnation Stream only: of {@code position}, if it is known; when the changes up to
   *     there were lost since, the request is refused with POSITION_REPLACED
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
      Optional<Bytes> grant,
      Optional<Long> incarnation)
      implements ClusterControl {
    /** Refuses null, positions under 0 and a moment before 1970. */
    public Attach {
      Objects.requireNonNull(tunnelId, "tunnelId");
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(type, "type");
      key = key == null ? Bytes.EMPTY : key;
      end = end == null ? Optional.empty() : end;
      endMs = endMs == null ? Optional.empty() : endMs;
      grant = grant == null ? Optional.empty() : grant;
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

    /** This request with the grant that proves its epoch. */
    public Attach withGrant(Optional<Bytes> given) {
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

    /** This request, of a channel that ends there. */
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

    /** This request of a worker that knows in which incarnation it saw the position. */
    public Attach seenIn(Optional<Long> known) {
      return new Attach(
          tunnelId, channelId, partition, type, epoch, position, key, end, endMs, grant, known);
    }

    /** What is known of the changes of the partition, if it is known in which incarnation. */
    public Optional<KnownPosition> known() {
      return incarnation.map(in -> new KnownPosition(position, in));
    }

    /** Asks for a position whose incarnation is not known. */
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
        Optional<Bytes> grant) {
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

    /** Asks without a grant for a channel of a tunnel that ends at no moment. */
    public Attach(
        String tunnelId,
        String channelId,
        int partition,
        ChannelType type,
        long epoch,
        long position,
        Bytes key,
        Optional<Long> end) {
      this(
          tunnelId,
          channelId,
          partition,
          type,
          epoch,
          position,
          key,
          end,
          Optional.empty(),
          Optional.empty());
    }
  }

  /**
   * The channel is delivered on this connection.
   *
   * @param handle its name in deliveries, credit and what else is said of it on this connection
   * @param incarnation of what is delivered, as {@link KnownPosition} has it, for who keeps or
   *     checkpoints its position
   */
  record Attached(int handle, Optional<Long> incarnation) implements ClusterControl {
    /** Without an incarnation. */
    public Attached(int handle) {
      this(handle, Optional.empty());
    }

    /** An incarnation need not be said. */
    public Attached {
      incarnation = incarnation == null ? Optional.empty() : incarnation;
    }
  }

  /**
   * A member of the cluster.
   *
   * @param address where clients reach it, as HOST:PORT
   * @param leads partitions that it leads
   * @param standbys partitions of which it keeps a replica without leading them
   * @param tunnelGroups groups of tunnels that it coordinates
   * @param isCatalogLeader whether it decides about tables
   */
  record NodeDescription(
      String name,
      String incarnation,
      String address,
      boolean isDraining,
      List<Integer> leads,
      List<Integer> standbys,
      int tunnelGroups,
      boolean isCatalogLeader) {
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
   * A node that was a member and is none any more.
   *
   * @param lastSeenMs when the node that was asked saw it last, in milliseconds since 1970
   */
  record GoneNode(String name, String address, long lastSeenMs) {
    /** Refuses null. */
    public GoneNode {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(address, "address");
    }
  }

  /**
   * The cluster as the node that was asked sees it.
   *
   * @param name the prefix of the cluster's topics
   * @param generation grows with every decision about who leads
   * @param node the name of the node that was asked
   * @param gone nodes that it has seen as members since its start, and that are none now
   */
  record ClusterDescription(
      String name, long generation, String node, List<NodeDescription> nodes, List<GoneNode> gone)
      implements ClusterControl {
    /** Refuses null and copies the lists. */
    public ClusterDescription {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(node, "node");
      nodes = List.copyOf(Objects.requireNonNull(nodes, "nodes"));
      gone = gone == null ? List.of() : List.copyOf(gone);
    }
  }

  /**
   * A replica of a partition, on one node.
   *
   * @param role FOLLOWING, CLAIMING or LEADING
   * @param epoch the newest epoch that it has read
   * @param next the position that it reads next
   * @param end the end of the log as last seen
   */
  record ReplicaStatus(int partition, String role, long epoch, long next, long end) {
    /** Refuses null. */
    public ReplicaStatus {
      Objects.requireNonNull(role, "role");
    }

    /** How many positions it is behind. */
    public long lag() {
      return Math.max(0, end - next);
    }
  }

  /** The replicas that a node has. */
  record NodeStatus(String name, List<ReplicaStatus> replicas) implements ClusterControl {
    /** Refuses null and copies the list. */
    public NodeStatus {
      Objects.requireNonNull(name, "name");
      replicas = List.copyOf(Objects.requireNonNull(replicas, "replicas"));
    }
  }

  /**
   * Empties a node, so that it can be stopped without anybody noticing.
   *
   * @param isDraining false to let it take part again
   */
  record DrainNode(boolean isDraining) implements ClusterControl {}
}
