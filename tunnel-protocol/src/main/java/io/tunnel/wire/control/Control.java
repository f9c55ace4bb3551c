package io.tunnel.wire.control;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Names;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The payloads of control operations. Each travels as one JSON object with the components' names;
 * {@link Json} says how. Times are in the unit that ends their name, since 1970 where they are
 * points in time.
 */
public sealed interface Control
    permits Control.Empty,
        Control.RequestId,
        Control.CreateTable,
        Control.TableName,
        Control.TableList,
        Control.PartitionDescription,
        Control.TableDescription,
        Control.CreateTunnel,
        Control.TunnelName,
        Control.TunnelInfo,
        Control.TunnelList,
        Control.ChannelDescription,
        Control.TunnelDescription,
        SessionControl,
        OperatorControl,
        ClusterControl,
        PartitionControl,
        FailureControl,
        SecurityControl {

  /**
   * Refuses a moment before 1970, which has no position: a peer that asked for one would be told to
   * ask again, for ever.
   */
  static void requireSince1970(String name, Optional<Long> ms) {
    if (ms.orElse(0L) < 0) {
      throw new IllegalArgumentException(name + " is milliseconds since 1970, not " + ms.get());
    }
  }

  /** Nothing to say. */
  record Empty() implements Control {}

  /**
   * What the payload of a request that changes tables or tunnels may say beside what it asks for:
   * an id that is the same for all attempts at it, and no other's. A server that has done a request
   * of that id answers it and does nothing more.
   */
  record RequestId(Optional<String> requestId) implements Control {

    /** Characters of an id. */
    public static final int CHARS_MAX = 64;

    /**
     * Refuses an id that is empty, too long, or not of letters, digits, hyphens and underscores.
     */
    public RequestId {
      requestId = requestId == null ? Optional.empty() : requestId;
      if (requestId.isPresent() && !requestId.get().matches("[A-Za-z0-9_-]{1," + CHARS_MAX + "}")) {
        throw new IllegalArgumentException(
            "a request id has 1 to "
                + CHARS_MAX
                + " letters, digits, hyphens and underscores, unlike '"
                + requestId.get()
                + "'");
      }
    }

    /** The id that the payload of a request has, if it has one. */
    public static RequestId in(byte[] payload) {
      return Json.decode(payload, RequestId.class);
    }
  }

  /**
   * Creates a table.
   *
   * @param meta name, key and options
   * @param splitPoints first-key-column values in rising order: n points make n+1 partitions
   */
  record CreateTable(TableMeta meta, List<PrimaryKeyValue> splitPoints) implements Control {
    /** Refuses null. */
    public CreateTable {
      Objects.requireNonNull(meta, "meta");
      splitPoints = splitPoints == null ? List.of() : list(splitPoints, "splitPoints");
    }
  }

  /** Names a table. */
  record TableName(String table) implements Control {
    /** Refuses null. */
    public TableName {
      Objects.requireNonNull(table, "table");
    }
  }

  /** All tables, by name. */
  record TableList(List<String> tables) implements Control {
    /** Refuses null and copies the list. */
    public TableList {
      tables = list(tables, "tables");
    }
  }

  /**
   * One partition of a table.
   *
   * @param id never used again for another partition of this server
   * @param from lowest first key column, encoded by {@link io.tunnel.codec.KeyCodec}; empty for an
   *     open end
   * @param to the first key column behind the last; empty for an open end
   * @param parents the partitions it was split or merged from
   * @param rowCount rows stored; an estimate when {@code rowCountIsExact} is false
   * @param rowCountIsExact whether rows were counted one by one
   * @param byteCount estimated bytes of the stored rows
   * @param changeBytes bytes of the changes that are kept
   * @param firstPosition position of the oldest change kept; one over {@code committed} when there
   *     is none
   * @param committed position of the newest change that readers may see; 0 when there is none
   * @param leader HOST:PORT of the node of a cluster that serves it; absent without a cluster, and
   *     while nobody does
   */
  record PartitionDescription(
      int id,
      Bytes from,
      Bytes to,
      List<Integer> parents,
      long rowCount,
      boolean rowCountIsExact,
      long byteCount,
      long changeBytes,
      long firstPosition,
      long committed,
      Optional<String> leader)
      implements Control {
    /** Refuses null, but for the leader, and copies the list. */
    public PartitionDescription {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(to, "to");
      parents = list(parents, "parents");
      leader = leader == null ? Optional.empty() : leader;
    }

    /** A partition of a server that is no cluster. */
    public PartitionDescription(
        int id,
        Bytes from,
        Bytes to,
        List<Integer> parents,
        long rowCount,
        boolean rowCountIsExact,
        long byteCount,
        long changeBytes,
        long firstPosition,
        long committed) {
      this(
          id,
          from,
          to,
          parents,
          rowCount,
          rowCountIsExact,
          byteCount,
          changeBytes,
          firstPosition,
          committed,
          Optional.empty());
    }
  }

  /**
   * A table with its partitions in key order.
   *
   * @param tableId names the table in binary requests; never used again
   * @param creator the principal that created it; none where nobody was asked who they are
   */
  record TableDescription(
      int tableId,
      TableMeta meta,
      long createdMs,
      List<PartitionDescription> partitions,
      Optional<String> creator)
      implements Control {
    /** Refuses null and copies the list. */
    public TableDescription {
      Objects.requireNonNull(meta, "meta");
      partitions = list(partitions, "partitions");
      creator = creator == null ? Optional.empty() : creator;
    }

    /** A table of nobody. */
    public TableDescription(
        int tableId, TableMeta meta, long createdMs, List<PartitionDescription> partitions) {
      this(tableId, meta, createdMs, partitions, Optional.empty());
    }
  }

  /**
   * Creates a tunnel.
   *
   * @param start where its stream starts when no {@code startMs} is given; without meaning for
   *     {@code BaseData} and {@code BaseAndStream}
   * @param startMs {@code Stream} only: it starts with the first change committed at or after this
   *     moment, in milliseconds since 1970
   * @param endMs {@code Stream} only: it ends before the first change committed at or after this
   *     moment; later than {@code startMs}
   */
  record CreateTunnel(
      String table,
      String tunnel,
      TunnelType type,
      StreamStart start,
      Optional<Long> startMs,
      Optional<Long> endMs)
      implements Control {
    /** Refuses null, a bad name, and times that make no sense. */
    public CreateTunnel {
      Objects.requireNonNull(table, "table");
      Names.requireResourceName("tunnel", tunnel);
      Objects.requireNonNull(type, "type (BaseData, Stream or BaseAndStream)");
      Objects.requireNonNull(start, "start (EARLIEST or LATEST)");
      startMs = startMs == null ? Optional.empty() : startMs;
      endMs = endMs == null ? Optional.empty() : endMs;
      if (type != TunnelType.Stream && (startMs.isPresent() || endMs.isPresent())) {
        throw new IllegalArgumentException(
            "startMs and endMs are for tunnels of type Stream, not " + type);
      }
      startMs.ifPresent(ms -> requireMoment("startMs", ms));
      endMs.ifPresent(ms -> requireMoment("endMs", ms));
      if (startMs.isPresent() && endMs.isPresent() && startMs.get() >= endMs.get()) {
        throw new IllegalArgumentException(
            "the tunnel would end at "
                + Instant.ofEpochMilli(endMs.get())
                + ", not after its start at "
                + Instant.ofEpochMilli(startMs.get()));
      }
    }

    /** A tunnel without moments in time. */
    public CreateTunnel(String table, String tunnel, TunnelType type, StreamStart start) {
      this(table, tunnel, type, start, Optional.empty(), Optional.empty());
    }

    private static void requireMoment(String name, long ms) {
      if (ms < 0 || ms > Long.MAX_VALUE / 1_000) {
        throw new IllegalArgumentException(
            name
                + " is milliseconds since 1970, at most "
                + Long.MAX_VALUE / 1_000
                + ", not "
                + ms);
      }
    }
  }

  /** Names a tunnel of a table. */
  record TunnelName(String table, String tunnel) implements Control {
    /** Refuses null. */
    public TunnelName {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
    }
  }

  /**
   * What does not change about a tunnel.
   *
   * @param startMs as in {@link CreateTunnel}
   * @param endMs as in {@link CreateTunnel}
   * @param creator the principal that created it; none where nobody was asked who they are
   */
  record TunnelInfo(
      String tunnelId,
      String tunnel,
      String table,
      TunnelType type,
      StreamStart start,
      long createdMs,
      Optional<Long> startMs,
      Optional<Long> endMs,
      Optional<String> creator)
      implements Control {
    /** Refuses null, but for the options. */
    public TunnelInfo {
      Objects.requireNonNull(tunnelId, "tunnelId");
      Objects.requireNonNull(tunnel, "tunnel");
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(start, "start");
      startMs = startMs == null ? Optional.empty() : startMs;
      endMs = endMs == null ? Optional.empty() : endMs;
      creator = creator == null ? Optional.empty() : creator;
    }

    /** A tunnel of nobody. */
    public TunnelInfo(
        String tunnelId,
        String tunnel,
        String table,
        TunnelType type,
        StreamStart start,
        long createdMs,
        Optional<Long> startMs,
        Optional<Long> endMs) {
      this(tunnelId, tunnel, table, type, start, createdMs, startMs, endMs, Optional.empty());
    }

    /** A tunnel without moments in time, of nobody. */
    public TunnelInfo(
        String tunnelId,
        String tunnel,
        String table,
        TunnelType type,
        StreamStart start,
        long createdMs) {
      this(tunnelId, tunnel, table, type, start, createdMs, Optional.empty(), Optional.empty());
    }
  }

  /** Tunnels by table and name. */
  record TunnelList(List<TunnelInfo> tunnels) implements Control {
    /** Refuses null and copies the list. */
    public TunnelList {
      tunnels = list(tunnels, "tunnels");
    }
  }

  /**
   * A channel now. Positions obey {@code checkpointed <= delivered <= committed}. Those of a base
   * channel count the rows of its partition, from 1; they mean nothing to its stream channel.
   *
   * @param status OPEN and CLOSING when a session holds it
   * @param owner the session that holds it
   * @param clientTag what the owner calls itself
   * @param epoch grows with every new owner
   * @param committed of a base channel: how many rows there are, about so many until its end is
   *     known
   * @param lagRows changes committed and not checkpointed; of a base channel the rows that are not,
   *     of which there are about so many until its end is known, or -1 when the node of a cluster
   *     that answers has no replica of the partition
   * @param lagBytes bytes of the batches that hold them; -1 when the node of a cluster that answers
   *     has no replica of the partition
   * @param lagMs how long the oldest of them has waited, at least so long when it is lost; 0 when
   *     there is none; -1 as with {@code lagBytes}
   * @param type what it carries
   * @param isPaused whether an operator keeps it, or its tunnel, from being delivered
   * @param end the position behind which it ends, once that is known
   * @param error why it is stopped; it goes on when an operator resumes it
   * @param waitsFor partitions whose channels, or the base channel, have to be finished first
   * @param historyLeftMs how long until the oldest change that is not checkpointed is no longer
   *     kept, 0 for any moment; negative when it is lost already; absent when the table keeps
   *     changes for ever or there is no such change
   * @param failedAt where it is stopped, if its worker said so
   * @param retry how it is retried that its processor failed, as its worker said last
   */
  record ChannelDescription(
      String channelId,
      int partition,
      ChannelStatus status,
      Optional<String> owner,
      Optional<String> clientTag,
      long epoch,
      long checkpointed,
      long delivered,
      long committed,
      long lagRows,
      long lagBytes,
      long lagMs,
      ChannelType type,
      boolean isPaused,
      Optional<Long> end,
      Optional<String> error,
      List<String> waitsFor,
      Optional<Long> historyLeftMs,
      Optional<FailureControl.FailedChange> failedAt,
      Optional<FailureControl.Retry> retry)
      implements Control {
    /** Refuses null, but for what JSON of an earlier version leaves out. */
    public ChannelDescription {
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(status, "status");
      owner = owner == null ? Optional.empty() : owner;
      clientTag = clientTag == null ? Optional.empty() : clientTag;
      type = type == null ? ChannelType.Stream : type;
      end = end == null ? Optional.empty() : end;
      error = error == null ? Optional.empty() : error;
      waitsFor = waitsFor == null ? List.of() : list(waitsFor, "waitsFor");
      historyLeftMs = historyLeftMs == null ? Optional.empty() : historyLeftMs;
      failedAt = failedAt == null ? Optional.empty() : failedAt;
      retry = retry == null ? Optional.empty() : retry;
    }
  }

  /**
   * A session of a tunnel.
   *
   * @param channels how many it holds
   * @param channelsMax how many it takes at most; 0 for any number
   * @param leaseLeftMs how long it lives without a further heartbeat
   */
  record SessionDescription(
      String sessionId, String clientTag, int channels, int channelsMax, long leaseLeftMs) {
    /** Refuses null. */
    public SessionDescription {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(clientTag, "clientTag");
    }
  }

  /**
   * A tunnel with its channels in the order of the table's partitions, a base channel before the
   * stream channel of its partition.
   *
   * @param isPaused whether the tunnel as a whole is paused
   * @param sessions its open sessions in the order in which they came
   * @param skipped the changes that its workers left out
   */
  record TunnelDescription(
      TunnelInfo info,
      List<ChannelDescription> channels,
      boolean isPaused,
      List<SessionDescription> sessions,
      FailureControl.Skipped skipped)
      implements Control {
    /** Refuses null and copies the lists. */
    public TunnelDescription {
      Objects.requireNonNull(info, "info");
      channels = list(channels, "channels");
      sessions = sessions == null ? List.of() : list(sessions, "sessions");
      skipped = skipped == null ? FailureControl.Skipped.NONE : skipped;
    }

    /** A tunnel of which no change was left out. */
    public TunnelDescription(
        TunnelInfo info,
        List<ChannelDescription> channels,
        boolean isPaused,
        List<SessionDescription> sessions) {
      this(info, channels, isPaused, sessions, FailureControl.Skipped.NONE);
    }

    /** A tunnel that is not paused and has no sessions. */
    public TunnelDescription(TunnelInfo info, List<ChannelDescription> channels) {
      this(info, channels, false, List.of());
    }
  }

  private static <T> List<T> list(List<T> list, String name) {
    for (T element : Objects.requireNonNull(list, name)) {
      Objects.requireNonNull(element, name);
    }
    return List.copyOf(list);
  }
}
