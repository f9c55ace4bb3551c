package io.tunnel.server.session;

import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.util.OptionalLong;

/** The connection of a session. For any thread; effects keep the order of the calls. */
public interface SessionPort {

  /** The principal that grants name; empty without authentication. */
  default String holder() {
    return "";
  }

  /** Counts a session of this connection; sends nothing. */
  void began();

  /** A session of this connection ended, for any reason; sends nothing. */
  void ended();

  /** Tells the worker that its session holds a channel, to which it may attach. */
  void assign(Assignment assignment);

  /** Sends the newest grant of a channel that the session holds. */
  void renew(Renewal renewal);

  /** Sends the end of a channel. */
  void limit(ChannelEnd end);

  /**
   * Position of the last change of a channel that was delivered on this connection; empty when the
   * channel is not delivered here.
   */
  OptionalLong delivered(String channelId, long epoch);

  /** The session no longer holds a channel, at its worker's request. */
  void dropped(int handle);

  /** Asks for a channel back. */
  void revoke(Revocation revocation);

  /** Tells the worker that its session no longer holds a channel. */
  void fence(Fence fence);

  /** Tells the worker that a session is over. */
  void over(SessionEnd end);
}
