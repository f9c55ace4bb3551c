package io.tunnel.server.session;

import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.Fence;
import io.tunnel.wire.SessionControl.Revocation;
import io.tunnel.wire.SessionControl.SessionEnd;

/**
 * The connection that a session lives on. Methods may be called by any thread; their effects keep
 * the order of the calls.
 */
public interface SessionPort extends DeliveryPort {

  /** Says that the session holds a channel, and lets it deliver. */
  void assign(Assignment assignment, Channel channel);

  /** Says where a channel ends that another node delivers. */
  void limit(ChannelEnd end);

  /** Stops delivering a channel and asks for it back. */
  void revoke(Revocation revocation);

  /** Stops delivering a channel for good. */
  void take(int handle);

  /** Stops delivering a channel for good, and says so. */
  void fence(Fence fence);

  /** Says that a session is over. */
  void over(SessionEnd end);
}
