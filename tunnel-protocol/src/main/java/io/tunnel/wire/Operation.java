package io.tunnel.wire;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a frame is about. The codes never change and are never used again. An operation that is
 * added here does not compile before the server and the test kit say what they do about it; clients
 * repeat it, and servers let it be asked for, as it says of itself.
 */
public enum Operation {
  /** Opens a connection: magic, protocol version, and who calls. */
  HELLO(1, Room.CONNECTION, Repeat.NEVER, Right.ANYBODY),
  /**
   * Binary: {@link Authentication.Request} to {@link Authentication.Answer}, twice: says who calls.
   * Nothing but this and {@link #HELLO} is taken from a client before a server that asks everybody
   * who they are knows it.
   */
  AUTHENTICATE(2, Room.CONNECTION, Repeat.NEVER, Right.ANYBODY),

  /** JSON: {@link Control.CreateTable} to {@link Control.TableDescription}. */
  CREATE_TABLE(16, Room.TABLES, Repeat.BY_ID, Right.CREATE),
  /** JSON: {@link Control.TableName} to {@link Control.TableDescription}. */
  DESCRIBE_TABLE(17, Room.TABLES, Repeat.FREELY, Right.SEE),
  /** JSON: empty to {@link Control.TableList}. */
  LIST_TABLES(18, Room.TABLES, Repeat.FREELY, Right.SEE),
  /** JSON: {@link Control.TableName} to empty. */
  DROP_TABLE(19, Room.TABLES, Repeat.BY_ID, Right.DROP),
  /** JSON: {@link Control.CreateTunnel} to {@link Control.TunnelInfo}. */
  CREATE_TUNNEL(20, Room.TUNNELS, Repeat.BY_ID, Right.CREATE),
  /** JSON: {@link Control.TunnelName} to {@link Control.TunnelDescription}. */
  DESCRIBE_TUNNEL(21, Room.TUNNELS, Repeat.FREELY, Right.SEE),
  /** JSON: {@link Control.TableName}, or empty for all tables, to {@link Control.TunnelList}. */
  LIST_TUNNELS(22, Room.TUNNELS, Repeat.FREELY, Right.SEE),
  /** JSON: {@link Control.TunnelName} to empty. */
  DELETE_TUNNEL(23, Room.TUNNELS, Repeat.BY_ID, Right.DROP),
  /**
   * JSON: {@link Control.TableName} to {@link Control.TableDescription} with ranges but without
   * counts: cheap.
   */
  PARTITION_MAP(24, Room.TABLES, Repeat.FREELY, Right.SEE),
  /**
   * JSON: {@link OperatorControl.Seek} to {@link OperatorControl.SeekResult}. Moves the progress of
   * channels, also while workers run.
   */
  SEEK(25, Room.TUNNELS, Repeat.BY_ID, Right.OPERATE),
  /** JSON: {@link OperatorControl.ChannelSelection} to empty. */
  PAUSE(26, Room.TUNNELS, Repeat.FREELY_BY_ID, Right.OPERATE),
  /** JSON: {@link OperatorControl.ChannelSelection} to empty; stopped channels go on too. */
  RESUME(27, Room.TUNNELS, Repeat.FREELY_BY_ID, Right.OPERATE),
  /** JSON: {@link OperatorControl.EndSession} to empty. */
  END_SESSION(28, Room.TUNNELS, Repeat.NEVER, Right.OPERATE),
  /**
   * JSON: {@link OperatorControl.AlterTable} to {@link Control.TableDescription} without counts.
   */
  ALTER_TABLE(29, Room.TABLES, Repeat.FREELY_BY_ID, Right.ALTER),
  /** JSON: {@link Control.TunnelName} to {@link OperatorControl.CheckpointSet}. */
  EXPORT_CHECKPOINTS(30, Room.TUNNELS, Repeat.FREELY, Right.OPERATE),
  /** JSON: empty to {@link ClusterControl.ClusterDescription}. */
  DESCRIBE_CLUSTER(31, Room.CLUSTER, Repeat.FREELY, Right.SEE),

  /** Binary: {@link WriteRequest} to {@link WriteResult}. */
  WRITE(32, Room.ROWS, Repeat.NEVER, Right.WRITE),
  /** Binary: {@link GetRowRequest} to a batch of no or one row. */
  GET_ROW(33, Room.ROWS, Repeat.FREELY, Right.READ),
  /** Binary: {@link RangeRequest} to {@link RangePage}. */
  GET_RANGE(34, Room.ROWS, Repeat.FREELY, Right.READ),
  /** JSON: empty to {@link ClusterControl.NodeStatus}: this node's own part. */
  DESCRIBE_NODE(35, Room.CLUSTER, Repeat.FREELY, Right.SEE),
  /**
   * JSON: {@link ClusterControl.DrainNode} to empty; the node gives up all it leads, or comes back.
   */
  DRAIN_NODE(36, Room.CLUSTER, Repeat.FREELY, Right.ADMIN),

  /**
   * JSON: {@link SessionControl.OpenSession} to {@link SessionControl.SessionOpened}. The session
   * lives on this connection.
   */
  OPEN_SESSION(48, Room.SESSIONS, Repeat.NEVER, Right.CONSUME),
  /** JSON: {@link SessionControl.SessionId} to empty; its channels are handed on. */
  CLOSE_SESSION(49, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /**
   * JSON: {@link FailureControl.Heartbeat} to empty; renews the lease, and says what is retried.
   */
  HEARTBEAT(50, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /**
   * Pushed by the server, JSON: {@link SessionControl.Assignment}. Delivery starts when the worker
   * gives credit.
   */
  ASSIGN(51, Room.SESSIONS, Repeat.NEVER, Right.SERVER),
  /**
   * Pushed by the server, JSON: {@link SessionControl.Revocation}. The worker finishes, checkpoints
   * and releases.
   */
  REVOKE(52, Room.SESSIONS, Repeat.NEVER, Right.SERVER),
  /** Binary: {@link ChannelRef} to empty; the worker gives a channel back. */
  RELEASE(53, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /** Pushed by the server, binary: {@link Delivery}. */
  DELIVER(54, Room.DELIVERY, Repeat.NEVER, Right.SERVER),
  /** Pushed by the worker, binary: {@link Credit}. */
  CREDIT(55, Room.DELIVERY, Repeat.NEVER, Right.HOLD),
  /** Binary: {@link Checkpoint} to empty. */
  CHECKPOINT(56, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /** Pushed by the server, binary: {@link ChannelEnd}: nothing more will be delivered. */
  END_OF_CHANNEL(57, Room.DELIVERY, Repeat.NEVER, Right.SERVER),
  /**
   * Pushed by the server, JSON: {@link SessionControl.Fence}: the channel is no longer the
   * session's.
   */
  FENCE(58, Room.SESSIONS, Repeat.NEVER, Right.SERVER),
  /** Pushed by the server, JSON: {@link SessionControl.SessionEnd}: the session is over. */
  SESSION_END(59, Room.SESSIONS, Repeat.NEVER, Right.SERVER),
  /** JSON: {@link SessionControl.StopChannel} to empty; the channel waits for an operator. */
  STOP_CHANNEL(60, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /**
   * JSON: {@link ClusterControl.Attach} to {@link ClusterControl.Attached}, asked of the node that
   * leads the channel's partition. From then on it delivers on this connection, as credit is given.
   */
  ATTACH(61, Room.DELIVERY, Repeat.NEVER, Right.CONSUME),
  /** Binary: {@link ChannelRef} to empty; nothing more is delivered under that handle. */
  DETACH(62, Room.DELIVERY, Repeat.FREELY, Right.HOLD),
  /**
   * Binary: {@link ChannelEnd}, without an answer: where an attached channel ends is known now.
   * Pushed by the server to the session's worker, which says the same to the node it is attached
   * to.
   */
  LIMIT(63, Room.DELIVERY, Repeat.NEVER, Right.HOLD),
  /**
   * Pushed by the node that delivers an attached stream channel, binary: {@link ChannelEnd}, with
   * the position up to which no change follows what was delivered.
   */
  SETTLED(64, Room.DELIVERY, Repeat.NEVER, Right.SERVER),
  /**
   * JSON: {@link PartitionControl.ReadPartition} to {@link ClusterControl.Attached}, asked of the
   * node that leads the partition. From then on it delivers on this connection, as credit is given.
   */
  READ_PARTITION(65, Room.READING, Repeat.NEVER, Right.READ),
  /** JSON: {@link PartitionControl.FindPositions} to {@link PartitionControl.FoundPositions}. */
  FIND_POSITIONS(66, Room.READING, Repeat.FREELY, Right.READ),
  /**
   * Binary: {@link Renewal}, without an answer: a newer grant of an attached channel. Pushed by the
   * server to the session's worker, which says the same to the node it is attached to.
   */
  RENEW(67, Room.DELIVERY, Repeat.NEVER, Right.HOLD),
  /** JSON: empty to {@link SecurityControl.Identity}: who asks, and what they may do. */
  WHO_AM_I(80, Room.SECURITY, Repeat.FREELY, Right.HOLD),
  /** JSON: {@link SecurityControl.CreateKey} to {@link SecurityControl.KeySecret}. */
  CREATE_KEY(81, Room.SECURITY, Repeat.NEVER, Right.ADMIN),
  /** JSON: empty to {@link SecurityControl.KeyList}. */
  LIST_KEYS(82, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.SecurityId} to empty; who came with the key is sent away. */
  REVOKE_KEY(83, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link SecurityControl.RotateKey} to {@link SecurityControl.KeySecret}, or to empty when
   * it is finished. Both secrets are good until then.
   */
  ROTATE_KEY(84, Room.SECURITY, Repeat.NEVER, Right.ADMIN),
  /**
   * JSON: {@link SecurityControl.PermissionInfo} to empty; its rights are added to those that the
   * subject has on the resource.
   */
  GRANT(85, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.PermissionInfo} to empty; its rights are taken away again. */
  WITHDRAW(86, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.PermissionQuery} to {@link SecurityControl.PermissionList}. */
  LIST_PERMISSIONS(87, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.ChangeGroup} to empty. */
  CHANGE_GROUP(88, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: empty to {@link SecurityControl.GroupList}. */
  LIST_GROUPS(89, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.CreateToken} to {@link SecurityControl.TokenSecret}. */
  CREATE_TOKEN(90, Room.SECURITY, Repeat.NEVER, Right.ADMIN),
  /** JSON: empty to {@link SecurityControl.TokenList}. */
  LIST_TOKENS(91, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.SecurityId} to empty. */
  REVOKE_TOKEN(92, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.QuotaInfo} to empty; takes the place of what was set before. */
  SET_QUOTA(93, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: empty to {@link SecurityControl.QuotaList}. */
  LIST_QUOTAS(94, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link FailureControl.SkippingCheckpoint} to empty: a {@link #CHECKPOINT} that passes
   * changes which the worker left out.
   */
  CHECKPOINT_SKIPPING(100, Room.SESSIONS, Repeat.FREELY, Right.HOLD);

  /** Requests that hold rows, split points, positions, or what happened to many changes. */
  private static final Set<Operation> HOLDING =
      EnumSet.of(WRITE, CREATE_TABLE, SEEK, HEARTBEAT, CHECKPOINT_SKIPPING);

  /** Requests of which a connection has many, each with a key at most. */
  private static final Set<Operation> KEYED = EnumSet.of(ATTACH, READ_PARTITION);

  private static final Operation[] BY_CODE = new Operation[101];

  static {
    for (Operation operation : values()) {
      BY_CODE[operation.code] = operation;
    }
  }

  private final int code;
  private final Room room;
  private final Repeat repeat;
  private final Right right;

  Operation(int code, Room room, Repeat repeat, Right right) {
    this.code = code;
    this.room = room;
    this.repeat = repeat;
    this.right = right;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }

  /** What it is about. */
  public Room room() {
    return room;
  }

  /** Whether it may be sent again when nobody knows whether it arrived. */
  public Repeat repeat() {
    return repeat;
  }

  /** Who may use it. */
  public Right right() {
    return right;
  }

  /**
   * Bytes of a request's payload at most: {@link Limits#NAMING_REQUEST_BYTES_MAX}, or as many as a
   * frame holds where a request holds rows, split points, positions or skipped changes, or {@link
   * Limits#KEYED_REQUEST_BYTES_MAX} where it attaches.
   */
  public int requestBytesMax() {
    if (HOLDING.contains(this)) {
      return Frame.PAYLOAD_BYTES_MAX;
    }
    return KEYED.contains(this) ? Limits.KEYED_REQUEST_BYTES_MAX : Limits.NAMING_REQUEST_BYTES_MAX;
  }

  /**
   * Refuses a request that is too long.
   *
   * @throws RefusedException INVALID_REQUEST when it has more than {@link #requestBytesMax}
   */
  public void requireSize(byte[] payload) {
    if (payload.length > requestBytesMax()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a request of "
              + payload.length
              + " bytes; "
              + this
              + " takes "
              + requestBytesMax()
              + " at most");
    }
  }

  /** The operation of that number, or null when this version knows none. */
  public static Operation of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /** What an operation is about, and so which part of a server serves it. */
  public enum Room {
    /** The connection itself. */
    CONNECTION,
    /** Tables: which there are, their options and partitions. */
    TABLES,
    /** Rows of a partition: written and read. */
    ROWS,
    /** Tunnels of a table, and what their operators do. */
    TUNNELS,
    /** Sessions of a tunnel: their leases, their channels, and the progress of these. */
    SESSIONS,
    /** Changes and rows on their way, of a channel or of a partition that is read. */
    DELIVERY,
    /** Partitions that are read without a tunnel. */
    READING,
    /** The nodes of a cluster. */
    CLUSTER,
    /** Who may come, and what they may do. */
    SECURITY
  }

  /** Whether a request may be sent again when nobody knows whether it arrived. */
  public enum Repeat {
    /** It changes nothing, or nothing more than the first one did. */
    FREELY(true, false),

    /**
     * It changes nothing more than the first one did, and carries a {@link Control.RequestId}, so
     * that one which comes late does not undo what others have changed since.
     */
    FREELY_BY_ID(true, true),

    /** Only because it carries a {@link Control.RequestId}, under which it is done once. */
    BY_ID(false, true),

    /** It would be done twice. A push is never repeated either, because nothing answers it. */
    NEVER(false, false);

    private final boolean isFree;
    private final boolean takesId;

    Repeat(boolean isFree, boolean takesId) {
      this.isFree = isFree;
      this.takesId = takesId;
    }

    /** Whether that is so without an id as well. */
    public boolean isFree() {
      return isFree;
    }

    /** Whether a client gives it an id. */
    public boolean takesId() {
      return takesId;
    }
  }

  /**
   * The right that an operation needs, on what its request names. A server that authenticates
   * nobody grants all rights to everybody.
   */
  public enum Right {
    /** No right: clients may use the operation before they have said who they are. */
    ANYBODY,
    /**
     * To see that what is named exists. Any other right on it includes this one; a list names only
     * what its client may see.
     */
    SEE,
    /** To read rows and changes of the table. */
    READ,
    /** To write rows of the table. */
    WRITE,
    /** To consume the tunnel. */
    CONSUME,
    /** To use what the server has given to this connection, or to its session. */
    HOLD,
    /** To create the table or the tunnel. */
    CREATE,
    /** To give the table other options. */
    ALTER,
    /** To drop the table or delete the tunnel. */
    DROP,
    /** To move, pause and look after the tunnel. */
    OPERATE,
    /** To look after the server. */
    ADMIN,
    /** No client has it: only servers say what needs it. */
    SERVER
  }
}
