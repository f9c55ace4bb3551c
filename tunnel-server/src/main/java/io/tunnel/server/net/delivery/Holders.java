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
 * <p>Only a grant proves an epoch. A client without a grant (a worker of an older version) is
 * served only until a client with a grant attaches: a made-up epoch cannot keep a holder away.
 *
 * <p>The monitor of {@link Attachments} guards the remembered epochs.
 */
final class Holders {

  /** Milliseconds that the wall clocks of two nodes may differ without shortening a grant. */
  static final long CLOCKS_DIFFER_MS_MAX = 10_000;

  private final ChannelGrants grants;
  private final Shard.Clock clock;
  private final FormerEpochs former = new FormerEpochs();

  /** Holders whose requests {@code grants} prove. */
  Holders(ChannelGrants grants, Shard.Clock clock) {
    this.grants = grants;
    this.clock = clock;
  }

  /**
   * The terms of the request's grant; empty when the request is not proved to come from the session
   * that holds the channel. A node that has not read the key for grants yet proves nothing and
   * refuses nothing; with authentication, a node refuses grants that it cannot verify.
   *
   * @param holder the principal of the client; empty without authentication
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

  /**
   * Lets an attachment replace the current one of a lower or equal epoch; with a grant it replaces
   * an attachment without a grant under any epoch.
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

  /** The epoch of the current attachment, if it counts against the new request. */
  private static long newest(Attachment attachment, Optional<Attachment> current) {
    return current
        .filter(there -> there.isGranted() || !attachment.isGranted())
        .map(there -> there.request().epoch())
        .orElse(0L);
  }

  /** A session no longer holds the channel under that epoch. */
  void ended(String channelId, int partition, long epoch) {
    former.ended(channelId, partition, epoch);
  }

  /** Remembers the epoch of an attachment that is over. */
  void left(Attachment attachment) {
    Attach request = attachment.request();
    former.left(request.channelId(), request.partition(), request.epoch(), attachment.isGranted());
  }

  /** This server no longer serves the partition. */
  void lost(int partition) {
    former.forget(partition);
  }
}
