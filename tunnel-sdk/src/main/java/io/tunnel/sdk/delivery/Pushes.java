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

/** All that a server says unasked. A listener overrides what it is told; the rest is dropped. */
public interface Pushes {

  /** Changes or rows, as {@link io.tunnel.wire.Delivery} encodes them. */
  default void delivered(byte[] payload) {}

  /** The server does not deliver under that handle any more. */
  default void refused(int handle, RuntimeException reason) {}

  /** Nothing comes behind that. */
  default void ended(ChannelEnd end) {}

  /** No change follows what was delivered, up to there. */
  default void settled(ChannelEnd upTo) {}

  /** The channel ends there. */
  default void limited(ChannelEnd end) {}

  /** The session's channel has a newer grant. */
  default void renewed(Renewal renewal) {}

  /** The session has one more channel. */
  default void assigned(Assignment assignment) {}

  /** The session is asked to give a channel back. */
  default void revoked(Revocation revocation) {}

  /** The session has lost a channel. */
  default void fenced(Fence fence) {}

  /** The session is over. */
  default void sessionEnded(SessionEnd end) {}

  /**
   * Passes on what a frame says; a frame that only a later version understands is dropped.
   *
   * @throws io.tunnel.codec.MalformedException when it cannot be read
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
          GET_ROW,
          GET_RANGE,
          DESCRIBE_NODE,
          DRAIN_NODE,
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
          FIND_POSITIONS,
          AUTHENTICATE,
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
        // Clients ask for these; no server says them.
      }
    }
  }
}
