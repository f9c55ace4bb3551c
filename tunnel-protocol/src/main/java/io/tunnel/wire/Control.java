package io.tunnel.wire;

import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.Names;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The payloads of control operations. Each travels as one JSON object with the components' names;
 * {@link Json} says how. Times are in the unit that ends their name, since 1970 where they are
 * points in time.
 */
public sealed interface Control {

  /** Nothing to say. */
  record Empty() implements Control {}

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
      long committed)
      implements Control {
    /** Refuses null and copies the list. */
    public PartitionDescription {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(to, "to");
      parents = list(parents, "parents");
    }
  }

  /**
   * A table with its partitions in key order.
   *
   * @param tableId names the table in binary requests; never used again
   */
  record TableDescription(
      int tableId, TableMeta meta, long createdMs, List<PartitionDescription> partitions)
      implements Control {
    /** Refuses null and copies the list. */
    public TableDescription {
      Objects.requireNonNull(meta, "meta");
      partitions = list(partitions, "partitions");
    }
  }

  /** Creates a tunnel. */
  record CreateTunnel(String table, String tunnel, TunnelType type, StreamStart start)
      implements Control {
    /** Refuses null and a bad name. */
    public CreateTunnel {
      Objects.requireNonNull(table, "table");
      Names.requireResourceName("tunnel", tunnel);
      Objects.requireNonNull(type, "type (BaseData, Stream or BaseAndStream)");
      Objects.requireNonNull(start, "start (EARLIEST or LATEST)");
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

  /** What does not change about a tunnel. */
  record TunnelInfo(
      String tunnelId,
      String tunnel,
      String table,
      TunnelType type,
      StreamStart start,
      long createdMs)
      implements Control {
    /** Refuses null. */
    public TunnelInfo {
      Objects.requireNonNull(tunnelId, "tunnelId");
      Objects.requireNonNull(tunnel, "tunnel");
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(start, "start");
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
   * A channel now. Positions obey {@code checkpointed <= delivered <= committed}.
   *
   * @param owner the session that holds it
   * @param clientTag what the owner calls itself
   * @param epoch grows with every new owner
   * @param lagRows changes committed and not checkpointed
   * @param lagBytes bytes of the batches that hold them
   * @param lagMs how long the oldest of them has waited; 0 when there is none
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
      long lagMs)
      implements Control {
    /** Refuses null, but for the options: JSON leaves out what is not there. */
    public ChannelDescription {
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(status, "status");
      owner = owner == null ? Optional.empty() : owner;
      clientTag = clientTag == null ? Optional.empty() : clientTag;
    }
  }

  /** A tunnel with its channels in the order of the table's partitions. */
  record TunnelDescription(TunnelInfo info, List<ChannelDescription> channels) implements Control {
    /** Refuses null and copies the list. */
    public TunnelDescription {
      Objects.requireNonNull(info, "info");
      channels = list(channels, "channels");
    }
  }

  /**
   * Opens a session of a worker.
   *
   * @param tunnelId the tunnel
   * @param clientTag what the worker calls itself
   * @param leaseMs how long the session lives without a heartbeat
   * @param maxChannels channels the worker will hold at most; 0 for any number
   */
  record OpenSession(String tunnelId, String clientTag, long leaseMs, int maxChannels)
      implements Control {
    /** Refuses null, and limits that make no sense. */
    public OpenSession {
      Objects.requireNonNull(tunnelId, "tunnelId");
      Objects.requireNonNull(clientTag, "clientTag");
      if (leaseMs < 1_000 || leaseMs > 3_600_000) {
        throw new IllegalArgumentException(
            "leaseMs is 1000 (a second) to 3600000 (an hour), not " + leaseMs);
      }
      if (maxChannels < 0) {
        throw new IllegalArgumentException("maxChannels is at least 0, not " + maxChannels);
      }
    }
  }

  /** The session is open; assignments follow. */
  record SessionOpened(String sessionId, TableMeta table) implements Control {
    /** Refuses null. */
    public SessionOpened {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(table, "table");
    }
  }

  /** Names a session. */
  record SessionId(String sessionId) implements Control {
    /** Refuses null. */
    public SessionId {
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  /**
   * A channel now belongs to the session.
   *
   * @param handle names the channel on this connection
   * @param checkpointed every change up to this position was processed; delivery starts behind it
   */
  record Assignment(
      String sessionId, String channelId, int partition, int handle, long epoch, long checkpointed)
      implements Control {
    /** Refuses null. */
    public Assignment {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(channelId, "channelId");
    }
  }

  /**
   * A channel is to be given back.
   *
   * @param deadlineMs how long the worker has from now; then the channel is taken
   */
  record Revocation(String sessionId, int handle, long epoch, long deadlineMs) implements Control {
    /** Refuses null. */
    public Revocation {
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  private static <T> List<T> list(List<T> list, String name) {
    for (T element : Objects.requireNonNull(list, name)) {
      Objects.requireNonNull(element, name);
    }
    return List.copyOf(list);
  }
}
