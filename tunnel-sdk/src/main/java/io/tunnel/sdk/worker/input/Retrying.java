package io.tunnel.sdk.worker.input;

import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.wire.control.FailureControl;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A retry of a channel whose processing failed.
 *
 * @param at the failing change; absent when the processor cannot be made
 * @param attempts failed attempts so far
 * @param sinceNanos time of the first failure
 * @param nextNanos time of the next attempt
 * @param error the last error
 */
public record Retrying(
    Optional<FailedChange> at, int attempts, long sinceNanos, long nextNanos, String error) {

  /** The retry at this time, for users of the SDK. */
  public RetryInfo info(long nowNanos) {
    return new RetryInfo(at, attempts, forMs(nowNanos), nextInMs(nowNanos), error);
  }

  /** The retry at this time, for the server. */
  public FailureControl.Retry wire(long nowNanos) {
    return new FailureControl.Retry(
        at.map(Retrying::wire), attempts, forMs(nowNanos), nextInMs(nowNanos), error);
  }

  public static FailureControl.FailedChange wire(FailedChange change) {
    return new FailureControl.FailedChange(change.position(), change.key(), change.changes());
  }

  private long forMs(long nowNanos) {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos);
  }

  private long nextInMs(long nowNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(nextNanos - nowNanos));
  }
}
