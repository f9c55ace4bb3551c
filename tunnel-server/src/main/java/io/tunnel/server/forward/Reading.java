package io.tunnel.server.forward;

import io.tunnel.server.forward.Forwarding.Changes;
import io.tunnel.wire.Delivery;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The reading of a partition that an {@link Ask} opens. Belongs to the forwarding thread.
 *
 * <p>Moves: ASKED to OPEN when the node has answered READ_PARTITION with a handle, and to OVER with
 * the first delivery or settled position, or when the patience has ended. The link then detaches
 * from the handle, and drops what the node sent meanwhile: the next reading gets it again.
 */
final class Reading {

  final int creditBytes;
  final long patienceMs;
  private Optional<Long> incarnation = Optional.empty();
  private Optional<Changes> changes = Optional.empty();

  Reading(int creditBytes, long patienceMs) {
    this.creditBytes = creditBytes;
    this.patienceMs = patienceMs;
  }

  /** The node delivers changes of an incarnation. */
  void opened(Optional<Long> ofChanges) {
    incarnation = ofChanges;
  }

  /** Ends the reading with what it got. */
  void over(OptionalLong settled, Optional<Delivery> delivery) {
    changes = Optional.of(new Changes(incarnation, settled, delivery));
  }

  /** What the reading got; only after {@link #over}. */
  Changes changes() {
    return changes.orElseThrow();
  }
}
