package io.tunnel.sdk.worker.input;

import io.tunnel.sdk.processor.FailurePolicy.Decision;
import io.tunnel.sdk.processor.FailurePolicy.Retry;
import io.tunnel.sdk.processor.FailurePolicy.Skip;
import io.tunnel.sdk.processor.FailurePolicy.Stop;
import io.tunnel.sdk.transport.BackoffCore;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * What happens when a processor throws and there is no policy.
 *
 * @param pauses before the next attempt
 * @param forNanos how long after the first failure it is tried again
 * @param attemptsMax how often it is tried in all
 * @param isSkipped whether a change that fails so is left out at once
 * @param skipsAtLast whether it is left out when it was tried long or often enough, instead of
 *     stopping the channel
 */
public record RetryRules(
    BackoffCore pauses,
    long forNanos,
    int attemptsMax,
    Predicate<Throwable> isSkipped,
    boolean skipsAtLast) {

  /**
   * Decides.
   *
   * @param failures how often it has failed, at least once
   * @param failingForNanos since the first of them
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

  /** Whether it has not been tried long or often enough. */
  public boolean isTriedAgain(int failures, long failingForNanos) {
    return failures < attemptsMax && failingForNanos < forNanos;
  }
}
