package io.tunnel.wire;

/** What a frame is about. The codes never change and are never used again. */
public enum Operation {
  /** Opens a connection: magic, protocol version, and who calls. */
  HELLO(1),

  /** JSON: {@link Control.CreateTable} to {@link Control.TableDescription}. */
  CREATE_TABLE(16),
  /** JSON: {@link Control.TableName} to {@link Control.TableDescription}. */
  DESCRIBE_TABLE(17),
  /** JSON: empty to {@link Control.TableList}. */
  LIST_TABLES(18),
  /** JSON: {@link Control.TableName} to empty. */
  DROP_TABLE(19),
  /** JSON: {@link Control.CreateTunnel} to {@link Control.TunnelInfo}. */
  CREATE_TUNNEL(20),
  /** JSON: {@link Control.TunnelName} to {@link Control.TunnelDescription}. */
  DESCRIBE_TUNNEL(21),
  /** JSON: {@link Control.TableName}, or empty for all tables, to {@link Control.TunnelList}. */
  LIST_TUNNELS(22),
  /** JSON: {@link Control.TunnelName} to empty. */
  DELETE_TUNNEL(23),
  /**
   * JSON: {@link Control.TableName} to {@link Control.TableDescription} with ranges but without
   * counts: cheap.
   */
  PARTITION_MAP(24),
  /**
   * JSON: {@link OperatorControl.Seek} to {@link OperatorControl.SeekResult}. Moves the progress of
   * channels, also while workers run.
   */
  SEEK(25),
  /** JSON: {@link OperatorControl.ChannelSelection} to empty. */
  PAUSE(26),
  /** JSON: {@link OperatorControl.ChannelSelection} to empty; stopped channels go on too. */
  RESUME(27),
  /** JSON: {@link OperatorControl.EndSession} to empty. */
  END_SESSION(28),
  /**
   * JSON: {@link OperatorControl.AlterTable} to {@link Control.TableDescription} without counts.
   */
  ALTER_TABLE(29),
  /** JSON: {@link Control.TunnelName} to {@link OperatorControl.CheckpointSet}. */
  EXPORT_CHECKPOINTS(30),
  /** JSON: empty to {@link ClusterControl.ClusterDescription}. */
  DESCRIBE_CLUSTER(31),

  /** Binary: {@link WriteRequest} to {@link WriteResult}. */
  WRITE(32),
  /** Binary: {@link GetRowRequest} to a batch of no or one row. */
  GET_ROW(33),
  /** Binary: {@link RangeRequest} to {@link RangePage}. */
  GET_RANGE(34),
  /** JSON: empty to {@link ClusterControl.NodeStatus}: this node's own part. */
  DESCRIBE_NODE(35),
  /**
   * JSON: {@link ClusterControl.DrainNode} to empty; the node gives up all it leads, or comes back.
   */
  DRAIN_NODE(36),

  /**
   * JSON: {@link SessionControl.OpenSession} to {@link SessionControl.SessionOpened}. The session
   * lives on this connection.
   */
  OPEN_SESSION(48),
  /** JSON: {@link SessionControl.SessionId} to empty; its channels are handed on. */
  CLOSE_SESSION(49),
  /**
   * JSON: {@link FailureControl.Heartbeat} to empty; renews the lease, and says what is retried.
   */
  HEARTBEAT(50),
  /**
   * Pushed by the server, JSON: {@link SessionControl.Assignment}. Delivery starts when the worker
   * gives credit.
   */
  ASSIGN(51),
  /**
   * Pushed by the server, JSON: {@link SessionControl.Revocation}. The worker finishes, checkpoints
   * and releases.
   */
  REVOKE(52),
  /** Binary: {@link ChannelRef} to empty; the worker gives a channel back. */
  RELEASE(53),
  /** Pushed by the server, binary: {@link Delivery}. */
  DELIVER(54),
  /** Pushed by the worker, binary: {@link Credit}. */
  CREDIT(55),
  /** Binary: {@link Checkpoint} to empty. */
  CHECKPOINT(56),
  /** Pushed by the server, binary: {@link ChannelEnd}: nothing more will be delivered. */
  END_OF_CHANNEL(57),
  /**
   * Pushed by the server, JSON: {@link SessionControl.Fence}: the channel is no longer the
   * session's.
   */
  FENCE(58),
  /** Pushed by the server, JSON: {@link SessionControl.SessionEnd}: the session is over. */
  SESSION_END(59),
  /** JSON: {@link SessionControl.StopChannel} to empty; the channel waits for an operator. */
  STOP_CHANNEL(60),
  /**
   * JSON: {@link ClusterControl.Attach} to {@link ClusterControl.Attached}, asked of the node that
   * leads the channel's partition. From then on it delivers on this connection, as credit is given.
   */
  ATTACH(61),
  /** Binary: {@link ChannelRef} to empty; nothing more is delivered under that handle. */
  DETACH(62),
  /**
   * Binary: {@link ChannelEnd}, without an answer: where an attached channel ends is known now.
   * Pushed by the server to the session's worker, which says the same to the node it is attached
   * to.
   */
  LIMIT(63),
  /**
   * Pushed by the node that delivers an attached stream channel, binary: {@link ChannelEnd}, with
   * the position up to which no change follows what was delivered.
   */
  SETTLED(64),
  /**
   * JSON: {@link PartitionControl.ReadPartition} to {@link ClusterControl.Attached}, asked of the
   * node that leads the partition. From then on it delivers on this connection, as credit is given.
   */
  READ_PARTITION(65),
  /** JSON: {@link PartitionControl.FindPositions} to {@link PartitionControl.FoundPositions}. */
  FIND_POSITIONS(66),
  /**
   * JSON: {@link FailureControl.SkippingCheckpoint} to empty: a {@link #CHECKPOINT} that passes
   * changes which the worker left out.
   */
  CHECKPOINT_SKIPPING(100);

  private static final Operation[] BY_CODE = new Operation[101];

  static {
    for (Operation operation : values()) {
      BY_CODE[operation.code] = operation;
    }
  }

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }

  /** The operation of that number, or null when this version knows none. */
  public static Operation of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
