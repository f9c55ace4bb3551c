package io.tunnel.server.catalog.tunnel;

import io.tunnel.wire.control.FailureControl.FailedChange;
import java.util.Objects;
import java.util.Optional;

/**
 * Why a channel is stopped.
 *
 * @param error for people
 * @param at the change that its worker cannot process, if it is one
 */
public record StopReason(String error, Optional<FailedChange> at) {

  /** Refuses null. */
  public StopReason {
    Objects.requireNonNull(error, "error");
    Objects.requireNonNull(at, "at");
  }

  /** A reason that no change in particular has. */
  public static StopReason of(String error) {
    return new StopReason(error, Optional.empty());
  }

  /** Where it is stopped, as the end of a sentence for people; empty when that is not known. */
  public String place(int partition) {
    return at.map(
            change ->
                ", fails at position "
                    + change.position()
                    + " of partition "
                    + partition
                    + ", key "
                    + change.key()
                    + (change.changes() == 1
                        ? ""
                        : ", or one of the " + change.changes() + " changes from there on"))
        .orElse("");
  }
}
