package io.tunnel.sdk.tunnel;

import io.tunnel.sdk.processor.FailedChange;
import java.util.Objects;
import java.util.Optional;

/**
 * How a channel is retried whose processor failed.
 *
 * @param at where it fails; absent when its processor cannot be made
 * @param attempts how often it has failed there
 * @param forMs how long ago the first of these attempts failed, in milliseconds
 * @param nextInMs when the next attempt begins, in milliseconds from now; 0 while it runs
 * @param error of the last attempt, for people
 */
public record RetryInfo(
    Optional<FailedChange> at, int attempts, long forMs, long nextInMs, String error) {

  /** Refuses null. */
  public RetryInfo {
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(error, "error");
  }
}
