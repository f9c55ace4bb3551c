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
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.util.EnumSet;
import java.util.Set;

/**
 * The operation of a frame. Codes never change and are never reused. A new operation does not
 * compile before the server and the test kit handle it. The operation's {@link Repeat} tells
 * clients whether to retry, the {@link Right} tells servers which clients may send it.
 */
public enum Operation {
  /** Opens a connection: magic, protocol version, and the client's name. */
  HELLO(1, Room.CONNECTION, Repeat.NEVER, Right.ANYBODY),
  /**
   * Binary: {@link Authentication.Request} to {@link Authentication.Answer}, twice: authenticates
   * the client. A server that authenticates clients first accepts only this operation and {@link
   * #HELLO}.
   */
  AUTHENTICATE(2, Room.CONNECTION, Repeat.NEVER, Right.ANYBODY),
  /** Binary: {@link EchoRequest} to the bytes of the request, or to empty. */
  ECHO(3, Room.CONNECTION, Repeat.FREELY, Right.HOLD),

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
  /** JSON: {@link OperatorControl.ChannelSelection} to empty; resumes stopped channels, too. */
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
  /** Binary: {@link GetRowRequest} to {@link RowPage}. */
  GET_ROW(33, Room.ROWS, Repeat.FREELY, Right.READ),
  /** Binary: {@link RangeRequest} to {@link RowPage}. */
  GET_RANGE(34, Room.ROWS, Repeat.FREELY, Right.READ),
  /** JSON: empty to {@link ClusterControl.NodeStatus}: the status of this node. */
  DESCRIBE_NODE(35, Room.CLUSTER, Repeat.FREELY, Right.SEE),
  /**
   * JSON: {@link ClusterControl.DrainNode} to empty; the node hands over all that it leads, or
   * takes part again.
   */
  DRAIN_NODE(36, Room.CLUSTER, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link ClusterControl.Upgrade} to {@link ClusterControl.Levels}, sent to the leader of
   * the catalog, or to a single server: looks at the level, or raises it.
   */
  UPGRADE(37, Room.CLUSTER, Repeat.FREELY, Right.ADMIN),
  /** Binary: {@link GetRowsRequest} to {@link RowPage}. */
  GET_ROWS(38, Room.ROWS, Repeat.FREELY, Right.READ),
  /**
   * Binary: {@code u32} table id and {@code u128} secret to {@link WriterToken}: dates the id of a
   * writer that numbers its batches.
   */
  OPEN_WRITER(39, Room.ROWS, Repeat.FREELY, Right.WRITE),
  /**
   * JSON: {@link RowSessionControl.Open} to {@link RowSessionControl.Opened}: opens a session for
   * bound rows, which lives for a lease after each renewal, on whatever connection. A repetition
   * with the same secret gets the same session. The client needs WRITE on one table at least.
   */
  OPEN_ROW_SESSION(40, Room.ROWS, Repeat.FREELY, Right.WRITE),
  /**
   * JSON: {@link RowSessionControl.Named} to empty: renews the lease. The client needs WRITE on one
   * table at least.
   */
  RENEW_ROW_SESSION(41, Room.ROWS, Repeat.FREELY, Right.WRITE),
  /**
   * JSON: {@link RowSessionControl.Named} to empty: ends the session; answered when its rows are
   * deleted.
   */
  CLOSE_ROW_SESSION(42, Room.ROWS, Repeat.FREELY, Right.HOLD),
  /**
   * JSON: {@link RowSessionControl.After} to {@link RowSessionControl.SessionList}: the sessions of
   * all principals, in pages.
   */
  LIST_ROW_SESSIONS(43, Room.ROWS, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link RowSessionControl.Numbered} to empty: ends the session of any principal; answered
   * when its rows are deleted.
   */
  END_ROW_SESSION(44, Room.ROWS, Repeat.FREELY, Right.ADMIN),
  /**
   * Sent by a node to another node of its cluster, binary: a seal and a {@link LookRequest} to a
   * seal and a {@link LookAnswer}. The seal proves that the sender knows the cluster's secret, so a
   * node needs no key, and no client can send the operation.
   */
  LOOK(45, Room.CLUSTER, Repeat.FREELY, Right.SERVER),

  /**
   * JSON: {@link SessionControl.OpenSession} to {@link SessionControl.SessionOpened}. The session
   * lives on this connection.
   */
  OPEN_SESSION(48, Room.SESSIONS, Repeat.NEVER, Right.CONSUME),
  /** JSON: {@link SessionControl.SessionId} to empty; other sessions get its channels. */
  CLOSE_SESSION(49, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /**
   * JSON: {@link FailureControl.Heartbeat} to empty; renews the lease, and names the retried
   * channels.
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
  /** Pushed by the server, binary: {@link ChannelEnd}: all changes are delivered. */
  END_OF_CHANNEL(57, Room.DELIVERY, Repeat.NEVER, Right.SERVER),
  /** Pushed by the server, JSON: {@link SessionControl.Fence}: the session has lost the channel. */
  FENCE(58, Room.SESSIONS, Repeat.NEVER, Right.SERVER),
  /** Pushed by the server, JSON: {@link SessionControl.SessionEnd}: the session is over. */
  SESSION_END(59, Room.SESSIONS, Repeat.NEVER, Right.SERVER),
  /** JSON: {@link SessionControl.StopChannel} to empty; the channel waits for an operator. */
  STOP_CHANNEL(60, Room.SESSIONS, Repeat.FREELY, Right.HOLD),
  /**
   * JSON: {@link ClusterControl.Attach} to {@link ClusterControl.Attached}, sent to the leader of
   * the channel's partition. The leader then delivers on this connection, as far as there is
   * credit.
   */
  ATTACH(61, Room.DELIVERY, Repeat.NEVER, Right.CONSUME),
  /** Binary: {@link ChannelRef} to empty; ends the deliveries under the handle. */
  DETACH(62, Room.DELIVERY, Repeat.FREELY, Right.HOLD),
  /**
   * Binary: {@link ChannelEnd}, without an answer: the end of an attached channel. Pushed by the
   * server to the session's worker, which passes it on to the leader that delivers the channel.
   */
  LIMIT(63, Room.DELIVERY, Repeat.NEVER, Right.HOLD),
  /**
   * Pushed by the leader that delivers an attached stream channel, binary: {@link ChannelEnd}: no
   * further change comes up to the position.
   */
  SETTLED(64, Room.DELIVERY, Repeat.NEVER, Right.SERVER),
  /**
   * JSON: {@link PartitionControl.ReadPartition} to {@link ClusterControl.Attached}, sent to the
   * leader of the partition. The leader then delivers on this connection, as far as there is
   * credit.
   */
  READ_PARTITION(65, Room.READING, Repeat.NEVER, Right.READ),
  /** JSON: {@link PartitionControl.FindPositions} to {@link PartitionControl.FoundPositions}. */
  FIND_POSITIONS(66, Room.READING, Repeat.FREELY, Right.READ),
  /**
   * Binary: {@link Renewal}, without an answer: a newer grant of an attached channel. Pushed by the
   * server to the session's worker, which passes it on to the leader that delivers the channel.
   */
  RENEW(67, Room.DELIVERY, Repeat.NEVER, Right.HOLD),
  /**
   * JSON: {@link PartitionControl.Watch} to {@link ClusterControl.Attached}, sent to the leader of
   * the partition: as {@link #READ_PARTITION}, for the keys that match.
   */
  WATCH(68, Room.READING, Repeat.NEVER, Right.READ),
  /**
   * JSON: empty to {@link SecurityControl.Identity}: the identity and permissions of the client.
   */
  WHO_AM_I(80, Room.SECURITY, Repeat.FREELY, Right.HOLD),
  /** JSON: {@link SecurityControl.CreateKey} to {@link SecurityControl.KeySecret}. */
  CREATE_KEY(81, Room.SECURITY, Repeat.NEVER, Right.ADMIN),
  /** JSON: empty to {@link SecurityControl.KeyList}. */
  LIST_KEYS(82, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: {@link SecurityControl.SecurityId} to empty; disconnects the clients of the key. */
  REVOKE_KEY(83, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link SecurityControl.RotateKey} to {@link SecurityControl.KeySecret}, or to empty when
   * finished. Both secrets are valid until then.
   */
  ROTATE_KEY(84, Room.SECURITY, Repeat.NEVER, Right.ADMIN),
  /**
   * JSON: {@link SecurityControl.PermissionInfo} to empty; adds its rights to the subject's rights
   * on the resource.
   */
  GRANT(85, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link SecurityControl.PermissionInfo} to empty; removes its rights from the subject's
   * rights on the resource.
   */
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
  /** JSON: {@link SecurityControl.QuotaChange} to empty; limits that it does not name stay. */
  SET_QUOTA(93, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /** JSON: empty to {@link SecurityControl.QuotaList}. */
  LIST_QUOTAS(94, Room.SECURITY, Repeat.FREELY, Right.ADMIN),
  /**
   * JSON: {@link FailureControl.SkippingCheckpoint} to empty: a {@link #CHECKPOINT} that passes
   * skipped changes.
   */
  CHECKPOINT_SKIPPING(100, Room.SESSIONS, Repeat.FREELY, Right.HOLD);

  /** Requests with rows, split points, positions, or errors of many changes. */
  private static final Set<Operation> HOLDING =
      EnumSet.of(WRITE, CREATE_TABLE, SEEK, HEARTBEAT, CHECKPOINT_SKIPPING);

  /** Requests that a connection sends often, each with at most one key. */
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

  /** The subject of the operation. */
  public Room room() {
    return room;
  }

  /** Whether clients may repeat a request in doubt. */
  public Repeat repeat() {
    return repeat;
  }

  /** The right that a client needs. */
  public Right right() {
    return right;
  }

  /**
   * The most bytes of a request's payload: {@link Limits#NAMING_REQUEST_BYTES_MAX} by default; a
   * full frame for requests with rows, split points, positions or skipped changes; {@link
   * Limits#KEYED_REQUEST_BYTES_MAX} for attaching; {@link EchoRequest#DATA_BYTES_MAX} and one byte
   * for an echo.
   */
  public int requestBytesMax() {
    if (this == ECHO) {
      return EchoRequest.PAYLOAD_BYTES_MAX;
    }
    if (HOLDING.contains(this)) {
      return Frame.PAYLOAD_BYTES_MAX;
    }
    return KEYED.contains(this) ? Limits.KEYED_REQUEST_BYTES_MAX : Limits.NAMING_REQUEST_BYTES_MAX;
  }

  /**
   * Refuses a request that is too long.
   *
   * @throws RefusedException INVALID_REQUEST for more than {@link #requestBytesMax} bytes
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

  /** The operation with a number, or null for an unknown number. */
  public static Operation of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /** The subject of an operation, which decides the part of the server that serves it. */
  public enum Room {
    /** The connection itself. */
    CONNECTION,
    /** The set of tables, their options and partitions. */
    TABLES,
    /** Writing and reading rows of a partition. */
    ROWS,
    /** Tunnels of a table, and their operation. */
    TUNNELS,
    /** Sessions of a tunnel: leases, channels and progress. */
    SESSIONS,
    /** Delivery of changes and rows, of a channel or of a partition that is read. */
    DELIVERY,
    /** Reading partitions without a tunnel. */
    READING,
    /** The nodes of a cluster. */
    CLUSTER,
    /** Keys, permissions, groups, tokens and quotas. */
    SECURITY
  }

  /** Whether clients may repeat a request in doubt. */
  public enum Repeat {
    /** A repetition has no further effect. */
    FREELY(true, false),

    /**
     * A repetition has no further effect, but carries a {@link Control.RequestId}, so that a late
     * repetition does not undo changes of other clients.
     */
    FREELY_BY_ID(true, true),

    /** Repetitions carry a {@link Control.RequestId}, and the server applies each id once. */
    BY_ID(false, true),

    /**
     * A repetition would be applied twice. Pushes are never repeated, either, because they have no
     * answer.
     */
    NEVER(false, false);

    private final boolean isFree;
    private final boolean takesId;

    Repeat(boolean isFree, boolean takesId) {
      this.isFree = isFree;
      this.takesId = takesId;
    }

    /** Whether a repetition without an id does no harm. */
    public boolean isFree() {
      return isFree;
    }

    /** Whether the client adds an id. */
    public boolean takesId() {
      return takesId;
    }
  }

  /**
   * The right that an operation needs on the resource in its request. A server without
   * authentication grants all rights to all clients.
   */
  public enum Right {
    /** No right: clients may use the operation before they authenticate. */
    ANYBODY,
    /**
     * To see that the resource exists. Every right on a resource includes SEE; lists contain only
     * visible resources.
     */
    SEE,
    /** To read rows and changes of the table. */
    READ,
    /** To write rows of the table. */
    WRITE,
    /** To consume the tunnel. */
    CONSUME,
    /** To use channels that the server gave to this connection or its session. */
    HOLD,
    /** To create the table or the tunnel. */
    CREATE,
    /** To give the table other options. */
    ALTER,
    /** To drop the table or delete the tunnel. */
    DROP,
    /** To operate the tunnel: seek, pause, resume. */
    OPERATE,
    /** To administer the server. */
    ADMIN,
    /** No client has this right: only servers send such operations. */
    SERVER
  }
}
