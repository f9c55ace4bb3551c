package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.util.Optional;

/**
 * Who may attach to a channel: its holder, whose session lives here or on another node. Each
 * channel is delivered for the highest epoch that was seen here, on one connection.
 *
 * <p>An epoch counts for what it says only with a grant. Without one, as workers of older versions
 * ask, a channel is delivered as long as nobody with a grant is there: a client with a made-up
 * epoch keeps no holder of the channel away.
 *
 * <p>All but {@link #isGranted} is guarded by the monitor of {@link Attachments}.
 */
final class Holders {

  private final ChannelGrants grants;
  private final FormerEpochs former = new FormerEpochs();

  /** Those whose requests {@code grants} prove. */
  Holders(ChannelGrants grants) {
    this.grants = grants;
  }

  /**
   * Whether the request is certainly of the session that holds the channel. A node that has not
   * read the key yet takes nobody for granted, and refuses nobody; unless everybody is asked who
   * they are: there, nothing is delivered that it cannot verify.
   *
   * @param holder who asks; empty where nobody is asked
   */
  boolean isGranted(Attach request, String holder) {
    if (request.grant().isPresent() && !grants.areGiven() && !holder.isEmpty()) {
      throw new RefusedException(
          ErrorCode.BUSY, "this node cannot verify grants yet; try again later");
    }
    if (request.grant().isEmpty() || !grants.areGiven()) {
      return false;
    }
    Granted granted =
        new Granted(request.channelId(), request.partition(), request.epoch(), holder);
    if (!grants.isOf(granted, request.grant().get())) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "the grant is not that of channel "
              + request.channelId()
              + " of partition "
              + request.partition()
              + " under epoch "
              + request.epoch());
    }
    return true;
  }

  /**
   * Takes the place of the one that is attached with a lower epoch, or the same; with a grant, also
   * of one without, whatever its epoch.
   */
  void admit(Attachment attachment, Optional<Attachment> current) {
    Attach request = attachment.request();
    long newest = newest(attachment, current);
    if (request.epoch() < newest) {
      throw Attachment.fenced(request, newest);
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

  /** The highest epoch that counts for this one. */
  private long newest(Attachment attachment, Optional<Attachment> current) {
    if (current.isEmpty()) {
      return former.of(attachment.request().channelId(), attachment.isGranted());
    }
    boolean counts = current.get().isGranted() || !attachment.isGranted();
    return counts ? current.get().request().epoch() : 0;
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
