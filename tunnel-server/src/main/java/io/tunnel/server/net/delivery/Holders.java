package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.net.delivery.FormerEpochs.Former;
import io.tunnel.server.partition.Shard;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Decides which client may attach to a channel: the channel's holder, whose session lives on this
 * or a different node. A channel is delivered on one connection, under the highest epoch that this
 * server has seen.
 *
 * <p>Only a grant proves an epoch, so a made-up epoch keeps no holder away.
 *
 * <p>The monitor of {@link Attachments} guards the remembered epochs.
 */
final class Holders {

  /** Milliseconds that the wall clocks of two nodes may differ without shortening a grant. */
  static final long CLOCKS_DIFFER_MS_MAX = 10_000;

  private final ChannelGrants.Verifier grants;
  private final Shard.Clock clock;
  private final FormerEpochs former = new FormerEpochs();

  /** Holders whose requests {@code grants} prove. */
  Holders(ChannelGrants.Verifier grants, Shard.Clock clock) {
    this.grants = grants;
    this.clock = clock;
  }

  /**
   * The terms of the request's grant.
   *
   * @param holder the principal of the client; empty without authentication
   * @throws RefusedException when the grant does not prove that the client's session holds the
   *     channel, or this node cannot tell yet
   */
  Terms terms(Attach request, String holder) {
    Granted granted =
        new Granted(request.channelId(), request.partition(), request.epoch(), holder);
    return grants
        .verified(granted, request.grant())
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.INVALID_REQUEST,
                    "the grant is not that of channel "
                        + request.channelId()
                        + " of partition "
                        + request.partition()
                        + " under epoch "
                        + request.epoch()));
  }

  /**
   * The nanosecond at which a grant ends that has just arrived. Only this method reads the wall
   * clock, which may differ from the clock of the node that made the grant, and may be set.
   *
   * @throws RefusedException when the grant has ended
   */
  long deadlineNanos(Attach request, Terms terms) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
    long leftMs = Math.min(terms.lifeMs(), terms.untilMs() + CLOCKS_DIFFER_MS_MAX - nowMs);
    if (leftMs <= 0) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "the grant of channel "
              + request.channelId()
              + " ended at "
              + Instant.ofEpochMilli(terms.untilMs())
              + ", and it is "
              + Instant.ofEpochMilli(nowMs)
              + " here: its session has ended, or the clocks of the cluster's nodes differ; attach"
              + " again with the next grant of the session");
    }
    return clock.nanos() + TimeUnit.MILLISECONDS.toNanos(leftMs);
  }

  /** Whether an attachment's grant has ended. */
  boolean isOverdue(Attachment attachment) {
    return attachment.isOverdue(clock.nanos());
  }

  /** Lets an attachment replace the current one of a lower or equal epoch. */
  void admit(Attachment attachment, Optional<Attachment> current) {
    Attach request = attachment.request();
    Optional<FormerEpochs.Former> left = former.of(request.channelId());
    long attached = current.map(there -> there.request().epoch()).orElse(0L);
    long newest = Math.max(attached, left.map(Former::epoch).orElse(0L));
    if (request.epoch() < newest) {
      throw Attachment.fenced(request, newest);
    }
    if (left.isPresent() && left.get().isBehind(request.epoch())) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "channel "
              + request.channelId()
              + " is not held under epoch "
              + request.epoch()
              + " any more, as its session is told");
    }
    former.came(request.channelId());
  }

  /** A session no longer holds the channel under that epoch. */
  void ended(String channelId, int partition, long epoch) {
    former.ended(channelId, partition, epoch);
  }

  /** Remembers the epoch of an attachment that is over. */
  void left(Attachment attachment) {
    Attach request = attachment.request();
    former.left(request.channelId(), request.partition(), request.epoch());
  }

  /** This server no longer serves the partition. */
  void lost(int partition) {
    former.forget(partition);
  }
}
