package io.tunnel.server.session;

import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.tunnel.ChannelKey;
import io.tunnel.server.session.TunnelRun.Session;
import java.util.OptionalLong;

/**
 * A channel that a session holds, by its name on the connection. Who serves its partition delivers
 * it, to the worker that attaches; here is only known who holds it, and what its worker says of it.
 * On the control thread, but for the name.
 */
final class Hold {

  private final int handle;
  private final Session session;
  private final String channelId;
  private final ChannelKey key;
  private final long epoch;

  /** The checkpoint that the channel was assigned with. */
  private final long start;

  /** Everything up to here was processed, as the worker says; never falls. */
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

  /** The position behind which the session may read the channel. */
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
   * Position of the last change that was delivered on the session's own connection; nothing when
   * the channel is delivered elsewhere.
   */
  OptionalLong deliveredHere() {
    return session.port().delivered(channelId, epoch);
  }

  /** The last position that the worker has received for certain. */
  long delivered() {
    return Math.max(reported, deliveredHere().orElse(reported));
  }

  /** The worker has processed everything up to there. */
  void reported(long position) {
    reported = Math.max(reported, position);
  }

  /** Where the channel ends, once that is known. */
  OptionalLong end() {
    return end;
  }

  /** It is known now where the channel ends. */
  void endAt(long position) {
    end = OptionalLong.of(position);
  }
}
