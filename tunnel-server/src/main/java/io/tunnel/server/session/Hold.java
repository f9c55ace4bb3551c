package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.server.session.TunnelRun.Session;
import java.util.OptionalLong;

/**
 * A channel that a session holds, with its handle on the connection. The server of its partition
 * delivers it to the worker that attaches; this object knows only the holder and its worker's
 * reports. For the control thread, except the handle.
 */
final class Hold {

  private final int handle;
  private final Session session;
  private final String channelId;
  private final ChannelKey key;
  private final long epoch;

  /** The checkpoint at the assignment. */
  private final long start;

  /** The position up to which the worker reported everything as processed; never falls. */
  private long reported;

  private OptionalLong end;

  Hold(
      int handle,
      Session session,
      ChannelKey key,
      long epoch,
      long checkpointed,
      OptionalLong end) {
    this.handle = handle;
    this.session = session;
    this.channelId = key.channelId(session.run().info().tunnelId());
    this.key = key;
    this.epoch = epoch;
    this.start = checkpointed;
    this.reported = checkpointed;
    this.end = end;
  }

  int handle() {
    return handle;
  }

  Session session() {
    return session;
  }

  ChannelKey key() {
    return key;
  }

  long epoch() {
    return epoch;
  }

  /** The position after which the session may read the channel. */
  long start() {
    return start;
  }

  String channelId() {
    return channelId;
  }

  boolean isOfRows() {
    return key.type() == ChannelType.BaseData;
  }

  /**
   * Position of the last change that was delivered on the session's own connection; empty when the
   * channel is delivered elsewhere.
   */
  OptionalLong deliveredHere() {
    return session.port().delivered(channelId, epoch);
  }

  /** The last position that the worker has surely received. */
  long delivered() {
    return Math.max(reported, deliveredHere().orElse(reported));
  }

  /** The worker has processed everything up to {@code position}. */
  void reported(long position) {
    reported = Math.max(reported, position);
  }

  /** The end of the channel, once known. */
  OptionalLong end() {
    return end;
  }

  /** Sets the end of the channel. */
  void endAt(long position) {
    end = OptionalLong.of(position);
  }
}
