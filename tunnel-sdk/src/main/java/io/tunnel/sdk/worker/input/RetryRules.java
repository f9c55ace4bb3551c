package io.tunnel.sdk.worker.input;

import io.tunnel.sdk.processor.FailurePolicy.Decision;
import io.tunnel.sdk.processor.FailurePolicy.Retry;
import io.tunnel.sdk.processor.FailurePolicy.Skip;
import io.tunnel.sdk.processor.FailurePolicy.Stop;
import io.tunnel.sdk.transport.BackoffCore;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * The rules for failures of a processor when there is no policy.
 *
 * @param pauses pauses before retries
 * @param forNanos time after the first failure during which retries begin
 * @param attemptsMax most attempts in all
 * @param isSkipped true for errors whose change is skipped at once
 * @param skipsAtLast true to skip the change after the last retry; false to stop the channel
 */
public record RetryRules(
    BackoffCore pauses,
    long forNanos,
    int attemptsMax,
    Predicate<Throwable> isSkipped,
    boolean skipsAtLast) {

  /**
   * Decides about a failure.
   *
   * @param failures failures so far, at least 1
   * @param failingForNanos time since the first failure
   * @param chance uniform in [0, 1)
   */
  public Decision decide(Throwable error, int failures, long failingForNanos, double chance) {
    if (isSkipped.test(error)) {
      return new Skip();
    }
    if (isTriedAgain(failures, failingForNanos)) {
      return new Retry(Duration.ofNanos(pauses.pauseNanos(failures, chance)));
    }
    return skipsAtLast ? new Skip() : new Stop();
  }

  /** True while the limits allow a retry. */
  public boolean isTriedAgain(int failures, long failingForNanos) {
    return failures < attemptsMax && failingForNanos < forNanos;
  }
}
