package io.tunnel.sdk.processor;

import java.time.Duration;
import java.util.Objects;

/**
 * Decides what happens after a processor has thrown. The worker calls the policy on the thread that
 * called the processor, for several channels at once. When the policy throws, the channel stops.
 * Without a policy, the retries of {@link io.tunnel.sdk.TunnelWorkerConfig} apply.
 *
 * <p>The policy decides about the input of the failed call, which may be a part of an earlier
 * input, see {@link Skip}.
 *
 * <p>A policy cannot park a change and all later changes of its key while other keys go on. Parking
 * needs durable storage for the parked changes, and would be a further {@link Decision}.
 */
@FunctionalInterface
public interface FailurePolicy {

  /** What happens next. */
  sealed interface Decision permits Retry, Skip, Stop {}

  /**
   * Retry: the processor is given the same input again.
   *
   * @param pause time before the next attempt, at most an hour; only this channel waits
   */
  record Retry(Duration pause) implements Decision {
    private static final Duration PAUSE_MAX = Duration.ofHours(1);

    /** Refuses a pause that is negative or too long. */
    public Retry {
      Objects.requireNonNull(pause, "pause");
      if (pause.isNegative() || pause.compareTo(PAUSE_MAX) > 0) {
        throw new IllegalArgumentException(
            "a pause before another attempt is 0 to " + PAUSE_MAX + ", not " + pause);
      }
    }
  }

  /**
   * Stop the channel: the worker checkpoints all earlier changes and gives the channel back with
   * the error. No worker gets the channel until an operator resumes it. The operator has to know
   * which change fails: if no {@link FailedRecordException} names the change and the input has
   * several records, the worker first divides the input as for {@link Skip}, and asks the policy
   * again for each half that fails.
   */
  record Stop() implements Decision {}

  /**
   * Skip one change: the change that a {@link FailedRecordException} names, as the error or one of
   * its causes. If no exception names a change and the input has several records, the worker halves
   * the input until a single record fails, and asks the policy again each time. The order of
   * changes stays.
   *
   * <p>The worker processes all other changes of the failed call again: first the changes before
   * the skipped change, in a call of their own, and then the changes behind it. Changes of a call
   * that returned are not processed again. A half inherits the failed attempts of the whole input.
   * A single record begins with none, and so does the second half when the first half has failed. A
   * policy that retries several times before it skips therefore skips a change only after the
   * change alone has failed that often, unless an exception named the change.
   *
   * <p>The worker logs and counts the skipped change, and stores it with the checkpoint that passes
   * it: {@link io.tunnel.sdk.tunnel.DescribeTunnelResponse#skipped} lists the last hundred. If the
   * channel ends before that checkpoint is stored, its next holder is given the change again.
   */
  record Skip() implements Decision {}

  /**
   * Decides.
   *
   * @param input the input of the failed call
   * @param error the exception that the processor threw
   * @param attempts failed attempts at this input so far, including the last; for parts of an input
   *     see {@link Skip}
   */
  Decision decide(ProcessRecordsInput input, Throwable error, int attempts);
}
