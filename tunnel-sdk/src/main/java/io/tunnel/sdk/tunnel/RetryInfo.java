package io.tunnel.sdk.tunnel;

import io.tunnel.sdk.processor.FailedChange;
import java.util.Objects;
import java.util.Optional;

/**
 * The retries of a channel whose processor fails.
 *
 * @param at the failing change; absent when the processor cannot be created
 * @param attempts how often the processor has failed there
 * @param forMs milliseconds since the first failed attempt
 * @param nextInMs milliseconds until the next attempt; 0 while one runs
 * @param error the failure of the last attempt, as text for people
 */
public record RetryInfo(
    Optional<FailedChange> at, int attempts, long forMs, long nextInMs, String error) {

  /** Refuses null. */
  public RetryInfo {
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(error, "error");
  }
}
