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
 * The payloads of control operations. Each travels as one JSON object with the components' names,
 * in the form of {@link Json}. The name of a time ends with its unit; points in time count from
 * 1970.
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
        RowSessionControl,
        SecurityControl {

  /** Refuses a time before 1970, which has no position: a peer could only retry in vain. */
  static void requireSince1970(String name, Optional<Long> ms) {
    if (ms.orElse(0L) < 0) {
      throw new IllegalArgumentException(name + " is milliseconds since 1970, not " + ms.get());
    }
  }

  /** The empty payload. */
  record Empty() implements Control {}

  /**
   * An optional member in requests that change tables or tunnels: an id, unique to the request and
   * shared by its repetitions. The server applies each id once, and answers repetitions.
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

    /** Reads the id of a request's payload, if any. */
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
   * @param id the id, never reused by this server
   * @param from the lowest first key column, encoded by {@link io.tunnel.codec.KeyCodec}; empty for
   *     no bound
   * @param to the highest first key column, exclusive; empty for no bound
   * @param parents the partitions that were split or merged into this one
   * @param rowCount stored rows; an estimate unless {@code rowCountIsExact}
   * @param rowCountIsExact whether rows were counted one by one
   * @param byteCount estimated bytes of the stored rows
   * @param changeBytes bytes of the kept changes; -1 where the node lacks some of them, which a
   *     shared log keeps
   * @param firstPosition position of the oldest kept change; {@code committed} + 1 without changes
   * @param committed position of the newest change that readers may see; 0 without changes
   * @param leader HOST:PORT of the leader in a cluster; absent without a cluster, and while no node
   *     leads
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

    /** A partition of a single server. */
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
   * @param tableId names the table in binary requests; never reused
   * @param creator the principal that created the table; absent without authentication
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

    /** A table without a creator. */
    public TableDescription(
        int tableId, TableMeta meta, long createdMs, List<PartitionDescription> partitions) {
      this(tableId, meta, createdMs, partitions, Optional.empty());
    }
  }

  /**
   * Creates a tunnel.
   *
   * @param start where the stream starts without {@code startMs}; without meaning for {@code
   *     BaseData} and {@code BaseAndStream}
   * @param startMs {@code Stream} only: starts with the first change committed at or after this
   *     time, in milliseconds since 1970
   * @param endMs {@code Stream} only: ends before the first change committed at or after this time;
   *     later than {@code startMs}
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

    /** A tunnel without points in time. */
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
   * The fixed properties of a tunnel.
   *
   * @param startMs as in {@link CreateTunnel}
   * @param endMs as in {@link CreateTunnel}
   * @param creator the principal that created the tunnel; absent without authentication
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

    /** A tunnel without a creator. */
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

    /** A tunnel without points in time, without a creator. */
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
   * The present state of a channel. Positions obey {@code checkpointed <= delivered <= committed}.
   * Positions of a base channel count rows, from 1, and have no meaning for the stream channel.
   *
   * @param status OPEN and CLOSING while a session holds the channel
   * @param owner the session that holds the channel
   * @param clientTag the tag of the owner's worker
   * @param epoch grows with every new owner
   * @param committed for a base channel, the number of rows; an estimate until the end is known
   * @param lagRows changes that are committed and not checkpointed; for a base channel, rows that
   *     are not checkpointed, an estimate until the end is known; -1 when the answering node has no
   *     replica of the partition
   * @param lagBytes bytes of the batches of these changes; -1 when the answering node has no
   *     replica of the partition, or lacks some of these changes, which a shared log keeps
   * @param lagMs the age of the oldest change that is not checkpointed, a lower bound if the change
   *     is lost; 0 without such a change; -1 when it is not known
   * @param type the contents of the channel
   * @param isPaused whether an operator has paused the channel or its tunnel
   * @param end the last position, once known
   * @param error why the channel is stopped, until an operator resumes it
   * @param waitsFor the channels that must finish before this one
   * @param historyLeftMs milliseconds until retention may delete the oldest change that is not
   *     checkpointed; 0 when it may at any time, negative when the change is lost; absent when the
   *     table keeps changes for ever, or all changes are checkpointed
   * @param failedAt the change at which the channel is stopped, if its worker reported the change
   * @param retry the retries of a failing processor, as of the last heartbeat
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
    /** Refuses null, but for the options. */
    public ChannelDescription {
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(status, "status");
      owner = owner == null ? Optional.empty() : owner;
      clientTag = clientTag == null ? Optional.empty() : clientTag;
      Objects.requireNonNull(type, "type");
      end = end == null ? Optional.empty() : end;
      error = error == null ? Optional.empty() : error;
      waitsFor = list(waitsFor, "waitsFor");
      historyLeftMs = historyLeftMs == null ? Optional.empty() : historyLeftMs;
      failedAt = failedAt == null ? Optional.empty() : failedAt;
      retry = retry == null ? Optional.empty() : retry;
    }
  }

  /**
   * A session of a tunnel.
   *
   * @param channels how many channels the session holds
   * @param channelsMax how many channels it takes at most; 0 for no limit
   * @param leaseLeftMs milliseconds until the session ends without a further heartbeat
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
   * @param isPaused whether the complete tunnel is paused
   * @param sessions the open sessions, oldest first
   * @param skipped the skipped changes
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
      sessions = list(sessions, "sessions");
      Objects.requireNonNull(skipped, "skipped");
    }

    /** A tunnel without skipped changes. */
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
