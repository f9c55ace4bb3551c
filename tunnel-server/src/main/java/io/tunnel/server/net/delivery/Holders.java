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
 * Who may attach to a channel: its holder, whose session lives here or on another node. Each
 * channel is delivered for the highest epoch that was seen here, on one connection.
 *
 * <p>An epoch counts for what it says only with a grant. Without one, as workers of older versions
 * ask, a channel is delivered as long as nobody with a grant is there: a client with a made-up
 * epoch keeps no holder of the channel away.
 *
 * <p>What is remembered of epochs is guarded by the monitor of {@link Attachments}.
 */
final class Holders {

  /** By how much the wall clocks of two nodes may differ without shortening a grant. */
  static final long CLOCKS_DIFFER_MS_MAX = 10_000;

  private final ChannelGrants grants;
  private final Shard.Clock clock;
  private final FormerEpochs former = new FormerEpochs();

  /** Those whose requests {@code grants} prove. */
  Holders(ChannelGrants grants, Shard.Clock clock) {
    this.grants = grants;
    this.clock = clock;
  }

  /**
   * On which terms the request is certainly of the session that holds the channel, if it is. A node
   * that has not read the key yet takes nobody for granted, and refuses nobody; unless everybody is
   * asked who they are: there, nothing is delivered that it cannot verify.
   *
   * @param holder who asks; empty where nobody is asked
   */
  Optional<Terms> terms(Attach request, String holder) {
    if (request.grant().isPresent() && !grants.areGiven() && !holder.isEmpty()) {
      throw new RefusedException(
          ErrorCode.BUSY, "this node cannot verify grants yet; try again later");
    }
    if (request.grant().isEmpty() || !grants.areGiven()) {
      return Optional.empty();
    }
    Granted granted =
        new Granted(request.channelId(), request.partition(), request.epoch(), holder);
    Optional<Terms> terms = grants.verified(granted, request.grant().get());
    if (terms.isEmpty()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "the grant is not that of channel "
              + request.channelId()
              + " of partition "
              + request.partition()
              + " under epoch "
              + request.epoch());
    }
    return terms;
  }

  /**
   * The nanosecond until which a grant lasts that has just come. Only here the wall clock is looked
   * at, which may differ from that of the node that made the grant, and may be set.
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

  /**
   * Takes the place of the one that is attached with a lower epoch, or the same; with a grant, also
   * of one without, whatever its epoch.
   */
  void admit(Attachment attachment, Optional<Attachment> current) {
    Attach request = attachment.request();
    Optional<FormerEpochs.Former> left = former.of(request.channelId(), attachment.isGranted());
    long newest = Math.max(newest(attachment, current), left.map(Former::epoch).orElse(0L));
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
    if (current.isPresent() && current.get().isGranted() && !attachment.isGranted()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "channel "
              + request.channelId()
              + " is delivered to a worker whose server has granted it; try again later");
    }
    former.came(request.channelId(), attachment.isGranted());
  }

  /** The epoch of the attached client, if that epoch counts for the new request. */
  private static long newest(Attachment attachment, Optional<Attachment> current) {
    return current
        .filter(there -> there.isGranted() || !attachment.isGranted())
        .map(there -> there.request().epoch())
        .orElse(0L);
  }

  /** The session does not hold a channel under that epoch any more. */
  void ended(String channelId, int partition, long epoch) {
    former.ended(channelId, partition, epoch);
  }

  /** Nobody is attached by that any more; its epoch is remembered. */
  void left(Attachment attachment) {
    Attach request = attachment.request();
    former.left(request.channelId(), request.partition(), request.epoch(), attachment.isGranted());
  }

  /** The partition is not served here any more. */
  void lost(int partition) {
    former.forget(partition);
  }
}
