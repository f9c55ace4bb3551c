package io.tunnel.model;

/**
 * Why a request was refused. A {@linkplain #retriable() retriable} code promises that a repetition
 * may succeed later, and does no harm: either the request was not applied, or applying it twice has
 * the effect of once, as for a checkpoint.
 */
public enum ErrorCode {
  /** The request is malformed, or breaks a limit that has no code of its own. */
  INVALID_REQUEST(1, false),
  /** The first frame was no greeting, or has a protocol version that this server does not speak. */
  UNSUPPORTED_VERSION(2, false),
  /** The server does not know the operation. */
  UNKNOWN_OPERATION(3, false),
  /** A frame is longer than {@link Limits#FRAME_BYTES_MAX}. */
  FRAME_TOO_LARGE(4, false),
  /** A checksum did not match: the bytes changed on their way. */
  CORRUPT(5, false),
  /** No table of that name or id. */
  TABLE_NOT_FOUND(10, false),
  /** A table of that name exists. */
  TABLE_EXISTS(11, false),
  /** A key's columns do not match the table's schema in count or type. */
  KEY_MISMATCH(12, false),
  /** A row is over a limit. */
  ROW_TOO_LARGE(13, false),
  /** A batch is over a limit. */
  BATCH_TOO_LARGE(14, false),
  /**
   * The row-existence condition of a row did not hold; further rows of the batch are not affected.
   */
  CONDITION_FAILED(15, false),
  /**
   * The row does not belong to the partition that the batch names: the sender's partition map is
   * stale.
   */
  WRONG_PARTITION(16, false),
  /**
   * An increment of a row found a column of a type other than INTEGER; further rows of the batch
   * are not affected.
   */
  NOT_AN_INTEGER(17, false),
  /**
   * An increment of a row has a result below -2^63 or above 2^63 - 1; further rows of the batch are
   * not affected.
   */
  INTEGER_OVERFLOW(18, false),
  /** No tunnel of that name or id. */
  TUNNEL_NOT_FOUND(20, false),
  /** A tunnel of that name exists on the table. */
  TUNNEL_EXISTS(21, false),
  /** The session does not exist or its lease has ended. */
  SESSION_ENDED(22, false),
  /** The channel has a newer epoch: the sender no longer holds the channel. */
  FENCED(23, false),
  /** A checkpoint lies beyond the delivered changes, or before the stored checkpoint. */
  INVALID_CHECKPOINT(24, false),
  /** The requested changes were deleted. */
  HISTORY_LOST(25, false),
  /** A requested position or time lies outside of the log. */
  INVALID_POSITION(26, false),
  /** The tunnel does not have the named channel or session. */
  CHANNEL_NOT_FOUND(27, false),
  /** The server is overloaded. */
  BUSY(30, true),
  /** The server is stopping. */
  SHUTTING_DOWN(31, true),
  /**
   * The disk failed during the request, whose outcome is unknown, and the server has stopped
   * writing. Or the catalog's log failed during a request without an id.
   */
  STORAGE_FAILED(32, false),
  /** A bug in the server. */
  INTERNAL(33, false),
  /**
   * Another node of the cluster leads, or no node does at present; the exception names the leader,
   * if known.
   */
  NOT_LEADER(34, true),
  /**
   * The shared log of a cluster cannot be reached at present, or the disk of a single server's
   * catalog takes no writes.
   */
  LOG_UNAVAILABLE(35, true),
  /**
   * The outcome of the request is not known yet, because the shared log of a cluster has not
   * notified the node. A repetition with the request's id, or with the batch's number, is applied
   * once. A client that cannot repeat has to look at the result.
   */
  OUTCOME_UNKNOWN(36, false),
  /** A limit of the server, its configuration or the connection is reached. */
  LIMIT_REACHED(37, false),
  /**
   * The reader knows changes that the service has lost. New changes get the lost positions, and the
   * reader would skip them.
   */
  POSITION_REPLACED(38, false),
  /** The server authenticates its clients, and the client has not authenticated. */
  NOT_AUTHENTICATED(39, false),
  /** The authenticated client lacks the right for the request. */
  NOT_PERMITTED(40, false),
  /**
   * The request uses a feature above the level of the cluster, or of the single server; the message
   * names the feature, the level, and the nodes that lack the feature.
   */
  FEATURE_NOT_ENABLED(41, false),
  /**
   * The partition does not know the writer of an idempotent write any more, or misses an earlier
   * batch of the writer. The batch was not applied now. A writer with a new id may send the batch,
   * unless an earlier attempt is in doubt.
   */
  WRITER_ENDED(42, false),
  /** Another row of the atomic batch was refused, so this row was not applied either. */
  BATCH_REFUSED(43, false);

  private final int code;
  private final boolean retriable;

  ErrorCode(int code, boolean retriable) {
    this.code = code;
    this.retriable = retriable;
  }

  /** The number on the wire; never changes and is never reused. */
  public int code() {
    return code;
  }

  /** Whether a repetition does no harm and may succeed later. */
  public boolean retriable() {
    return retriable;
  }

  /** The code with a number; {@link #INTERNAL} for an unknown number. */
  public static ErrorCode of(int code) {
    for (ErrorCode candidate : values()) {
      if (candidate.code == code) {
        return candidate;
      }
    }
    return INTERNAL;
  }
}
