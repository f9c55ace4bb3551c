package io.tunnel.model;

/**
 * Why a request was refused. A code that is {@linkplain #retriable() retriable} promises that the
 * same request may succeed later, and that nothing of this one was applied, or nothing that
 * applying it again would add to: so much can be said of checkpoints, but not of a new table.
 */
public enum ErrorCode {
  /** The request is malformed, or breaks a limit that has no code of its own. */
  INVALID_REQUEST(1, false),
  /** The first frame was not a greeting, or not of a protocol version that this server speaks. */
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
   * The row-existence condition of a row did not hold; the other rows of its batch are not touched.
   */
  CONDITION_FAILED(15, false),
  /**
   * The row does not belong to the partition that the batch names: the sender's partition map is
   * old.
   */
  WRONG_PARTITION(16, false),
  /** No tunnel of that name or id. */
  TUNNEL_NOT_FOUND(20, false),
  /** A tunnel of that name exists on the table. */
  TUNNEL_EXISTS(21, false),
  /** The session does not exist or its lease has ended. */
  SESSION_ENDED(22, false),
  /** The channel belongs to a newer epoch: what the sender holds is no longer its own. */
  FENCED(23, false),
  /** A checkpoint lies beyond what was delivered, or before what is checkpointed. */
  INVALID_CHECKPOINT(24, false),
  /** The changes asked for are no longer kept. */
  HISTORY_LOST(25, false),
  /** A position or time to go to lies beyond either end of what there is. */
  INVALID_POSITION(26, false),
  /** The channel, or the session, that was named does not exist in the tunnel. */
  CHANNEL_NOT_FOUND(27, false),
  /** The server has as much to do as it accepts. */
  BUSY(30, true),
  /** The server is stopping. */
  SHUTTING_DOWN(31, true),
  /**
   * The disk, or the log that nodes share, failed under the request, and whether it was applied is
   * not known. A server whose own disk failed has stopped writing.
   */
  STORAGE_FAILED(32, false),
  /** A fault of the server's own. */
  INTERNAL(33, false),
  /**
   * Another node of the cluster serves this, or for the moment none does; the exception says which,
   * if it is known.
   */
  NOT_LEADER(34, true),
  /** The log that the nodes of a cluster share cannot be reached for the moment. */
  LOG_UNAVAILABLE(35, true),
  /**
   * Whether the request was done is not known yet: asked for again with the id that it has, it is
   * done once. A client that cannot ask again has to look whether it was done.
   */
  OUTCOME_UNKNOWN(36, false),
  /** There is as much of something as the server's configuration allows. */
  LIMIT_REACHED(37, false),
  /**
   * The reader knows changes that the service has lost: their positions are, or will be, those of
   * other changes, which would be skipped.
   */
  POSITION_REPLACED(38, false),
  /** The server asks everybody who they are, and the client has not proved who it is. */
  NOT_AUTHENTICATED(39, false),
  /** The server knows who asks, and they may not do that. */
  NOT_PERMITTED(40, false);

  private final int code;
  private final boolean retriable;

  ErrorCode(int code, boolean retriable) {
    this.code = code;
    this.retriable = retriable;
  }

  /** The number on the wire; never changes and is never used again. */
  public int code() {
    return code;
  }

  /** Whether asking for the same again does no harm and may succeed later. */
  public boolean retriable() {
    return retriable;
  }

  /** The code of that number; {@link #INTERNAL} for one that this version does not know. */
  public static ErrorCode of(int code) {
    for (ErrorCode candidate : values()) {
      if (candidate.code == code) {
        return candidate;
      }
    }
    return INTERNAL;
  }
}
