package io.tunnel.server.catalog;

import io.tunnel.wire.FailureControl.FailedChange;
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
}
