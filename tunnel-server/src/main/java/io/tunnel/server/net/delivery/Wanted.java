package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.Optional;

/**
 * What a client wants delivered.
 *
 * @param known what the client has seen of the partition, if it knows in which incarnation
 * @param handle the name that deliveries will have
 */
record Wanted(Attach request, Optional<KnownPosition> known, int handle) {

  /** A channel of a tunnel. */
  static Wanted channel(Attach request, int handle) {
    return new Wanted(request, request.known(), handle);
  }

  /**
   * What of it may be delivered by a grant: where it ends is the grant's to say.
   *
   * @throws RefusedException when it begins in front of what was granted
   */
  Wanted on(Terms terms) {
    if (request.position() < terms.start()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "channel "
              + request.channelId()
              + " is granted behind position "
              + terms.start()
              + ", and cannot be delivered behind position "
              + request.position());
    }
    return new Wanted(request.endingAt(terms.end(), terms.endMs()), known, handle);
  }

  /** As far as it is not known where it ends: there. */
  Wanted endingAt(long position) {
    return new Wanted(request.endingAt(Optional.of(position), request.endMs()), known, handle);
  }

  /** A partition without a tunnel, as a channel that has no other reader and no holder. */
  static Wanted reading(ReadPartition request, int handle) {
    Attach attach =
        new Attach(
            "",
            "reading " + handle,
            request.partition(),
            request.type(),
            PartitionControl.EPOCH,
            request.position(),
            request.key(),
            request.end(),
            request.endMs(),
            Optional.empty());
    return new Wanted(attach, request.known(), handle);
  }
}
