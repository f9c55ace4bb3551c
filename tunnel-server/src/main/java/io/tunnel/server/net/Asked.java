package io.tunnel.server.net;

import io.tunnel.model.KnownPosition;
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
record Asked(Attach request, Optional<KnownPosition> known, int handle) {

  /** A channel of a tunnel. */
  static Asked channel(Attach request, int handle) {
    return new Asked(request, request.known(), handle);
  }

  /** A partition without a tunnel, as a channel that has no other reader and no holder. */
  static Asked reading(ReadPartition request, int handle) {
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
    return new Asked(attach, request.known(), handle);
  }
}
