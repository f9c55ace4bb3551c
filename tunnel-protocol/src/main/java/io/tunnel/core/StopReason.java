package io.tunnel.core;

import io.tunnel.wire.control.FailureControl.FailedChange;
import java.util.Objects;
import java.util.Optional;

/**
 * The reason why a channel is stopped.
 *
 * @param error text for people
 * @param at the change that the worker cannot process, if there is one
 */
public record StopReason(String error, Optional<FailedChange> at) {

  /** Refuses null. */
  public StopReason {
    Objects.requireNonNull(error, "error");
    Objects.requireNonNull(at, "at");
  }

  /** A reason without a particular change. */
  public static StopReason of(String error) {
    return new StopReason(error, Optional.empty());
  }

  /** The place of the stop, as the end of a sentence for people; empty when unknown. */
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
