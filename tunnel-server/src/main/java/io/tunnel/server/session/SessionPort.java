package io.tunnel.server.session;

import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.util.OptionalLong;

/**
 * The connection that a session lives on. Methods may be called by any thread; their effects keep
 * the order of the calls.
 */
public interface SessionPort {

  /** Whom channels are granted to here; empty where nobody is asked who they are. */
  default String holder() {
    return "";
  }

  /** A session lives here from now on; nothing is said of that. */
  void began();

  /** A session that lived here does not any more, for whatever reason; nothing is said of that. */
  void ended();

  /** Says that the session holds a channel: its worker may attach to it. */
  void assign(Assignment assignment);

  /** Says the newest grant of a channel that the session holds. */
  void renew(Renewal renewal);

  /** Says where a channel ends. */
  void limit(ChannelEnd end);

  /**
   * Position of the last change of a channel that was delivered on this very connection; nothing
   * when the channel is not delivered here.
   */
  OptionalLong delivered(String channelId, long epoch);

  /** The session holds a channel no more, as its worker wanted. */
  void dropped(int handle);

  /** Asks for a channel back. */
  void revoke(Revocation revocation);

  /** Says that the session holds a channel no more. */
  void fence(Fence fence);

  /** Says that a session is over. */
  void over(SessionEnd end);
}
