package io.tunnel.sdk.delivery;

import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;

/** All pushes of a server. A listener overrides the pushes that it needs; others are dropped. */
public interface Pushes {

  /** A delivery of changes or rows, as {@link io.tunnel.wire.Delivery} encodes it. */
  default void delivered(byte[] payload) {}

  /** The server delivers no more under {@code handle}. */
  default void refused(int handle, RuntimeException reason) {}

  /** The delivery ends at a position. */
  default void ended(ChannelEnd end) {}

  /** No further change exists up to a position. */
  default void settled(ChannelEnd upTo) {}

  /** The channel ends at a position. */
  default void limited(ChannelEnd end) {}

  /** A channel of the session has a newer grant. */
  default void renewed(Renewal renewal) {}

  /** The session gets a channel. */
  default void assigned(Assignment assignment) {}

  /** The session has to give a channel back. */
  default void revoked(Revocation revocation) {}

  /** The session has lost a channel. */
  default void fenced(Fence fence) {}

  /** The session has ended. */
  default void sessionEnded(SessionEnd end) {}

  /**
   * Decodes a frame and calls {@code listener}; frames with an unknown operation are dropped.
   *
   * @throws io.tunnel.codec.MalformedException when the frame cannot be decoded
   */
  static void pass(Frame frame, Pushes listener) {
    if (frame.operation() == null) {
      return;
    }
    if (frame.kind() == FrameKind.ERROR) {
      if (frame.operation() == Operation.DELIVER) {
        listener.refused(frame.correlationId(), ErrorPayload.decode(frame.payload()).toException());
      }
      return;
    }
    switch (frame.operation()) {
      case DELIVER -> listener.delivered(frame.payload());
      case END_OF_CHANNEL -> listener.ended(ChannelEnd.decode(frame.payload()));
      case SETTLED -> listener.settled(ChannelEnd.decode(frame.payload()));
      case LIMIT -> listener.limited(ChannelEnd.decode(frame.payload()));
      case RENEW -> listener.renewed(Renewal.decode(frame.payload()));
      case ASSIGN -> listener.assigned(Json.decode(frame.payload(), Assignment.class));
      case REVOKE -> listener.revoked(Json.decode(frame.payload(), Revocation.class));
      case FENCE -> listener.fenced(Json.decode(frame.payload(), Fence.class));
      case SESSION_END -> listener.sessionEnded(Json.decode(frame.payload(), SessionEnd.class));
      case HELLO,
          CREATE_TABLE,
          DESCRIBE_TABLE,
          LIST_TABLES,
          DROP_TABLE,
          CREATE_TUNNEL,
          DESCRIBE_TUNNEL,
          LIST_TUNNELS,
          DELETE_TUNNEL,
          PARTITION_MAP,
          SEEK,
          PAUSE,
          RESUME,
          END_SESSION,
          ALTER_TABLE,
          EXPORT_CHECKPOINTS,
          DESCRIBE_CLUSTER,
          WRITE,
          OPEN_WRITER,
          OPEN_ROW_SESSION,
          RENEW_ROW_SESSION,
          CLOSE_ROW_SESSION,
          LIST_ROW_SESSIONS,
          END_ROW_SESSION,
          GET_ROW,
          GET_ROWS,
          GET_RANGE,
          DESCRIBE_NODE,
          LOOK,
          DRAIN_NODE,
          UPGRADE,
          OPEN_SESSION,
          CLOSE_SESSION,
          HEARTBEAT,
          RELEASE,
          CREDIT,
          CHECKPOINT,
          STOP_CHANNEL,
          ATTACH,
          DETACH,
          READ_PARTITION,
          WATCH,
          FIND_POSITIONS,
          AUTHENTICATE,
          ECHO,
          WHO_AM_I,
          CREATE_KEY,
          LIST_KEYS,
          REVOKE_KEY,
          ROTATE_KEY,
          GRANT,
          WITHDRAW,
          LIST_PERMISSIONS,
          CHANGE_GROUP,
          LIST_GROUPS,
          CREATE_TOKEN,
          LIST_TOKENS,
          REVOKE_TOKEN,
          SET_QUOTA,
          LIST_QUOTAS,
          CHECKPOINT_SKIPPING -> {
        // Requests of clients: a server never pushes them.
      }
    }
  }
}
