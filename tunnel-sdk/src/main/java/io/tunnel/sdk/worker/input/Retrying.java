package io.tunnel.sdk.worker.input;

import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.wire.control.FailureControl;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A channel whose processing failed and is tried again.
 *
 * @param at where it fails; absent when its processor cannot be made
 * @param attempts how often it has failed
 * @param sinceNanos when it did so first
 * @param nextNanos when the next attempt begins
 * @param error of the last
 */
public record Retrying(
    Optional<FailedChange> at, int attempts, long sinceNanos, long nextNanos, String error) {

  /** How it stands now. */
  public RetryInfo info(long nowNanos) {
    return new RetryInfo(at, attempts, forMs(nowNanos), nextInMs(nowNanos), error);
  }

  /** How it stands now, as the server is told. */
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
