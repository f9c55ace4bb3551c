package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.Optional;

/**
 * A client's request for deliveries.
 *
 * @param known the position that the client has seen, if it knows the incarnation
 * @param handle the handle of the deliveries
 * @param terms the keys of a watch; empty for all
 */
record Wanted(Attach request, Optional<KnownPosition> known, int handle, Optional<KeyTerms> terms) {

  /** A channel of a tunnel. */
  static Wanted channel(Attach request, int handle) {
    return new Wanted(request, request.known(), handle, Optional.empty());
  }

  /**
   * The request limited to a grant's terms: the grant decides the end.
   *
   * @throws RefusedException when the request begins before the granted start
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
    return new Wanted(request.endingAt(terms.end(), terms.endMs()), known, handle, this.terms);
  }

  /** The request with an end, unless it has one. */
  Wanted endingAt(long position) {
    return new Wanted(
        request.endingAt(Optional.of(position), request.endMs()), known, handle, terms);
  }

  /**
   * A request for a partition without a tunnel: a channel that has only this reader and no holder.
   */
  static Wanted reading(ReadPartition request, int handle, Optional<KeyTerms> terms) {
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
            Bytes.EMPTY);
    return new Wanted(attach, request.known(), handle, terms);
  }
}
