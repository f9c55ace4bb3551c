package io.tunnel.sdk.processor;

import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import java.time.Duration;
import java.util.Objects;

/**
 * Decides what happens when a processor has thrown. Called on the thread that called the processor,
 * for several channels at once; when it throws itself, the channel stops. Without one, the retries
 * of {@link TunnelWorkerConfig} apply.
 *
 * <p>It is asked about what the processor was given in that call, which may be a part of what was
 * given before, see {@link Skip}.
 *
 * <p>What a policy cannot say yet is "keep this change and all later ones of its key aside, and go
 * on with the other keys": that needs durable storage for what is kept aside, and would be one more
 * {@link Decision}.
 */
@FunctionalInterface
public interface FailurePolicy {

  /** What happens next. */
  sealed interface Decision permits Retry, Skip, Stop {}

  /**
   * The same input is given to the processor again.
   *
   * @param pause until then, up to an hour; the channel waits meanwhile, others do not
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
   * What was processed before is checkpointed, and the channel is given back with the error. It is
   * given to nobody until an operator resumes it. Operators have to know which change fails: if no
   * {@link FailedRecordException} names it and the input has several records, the input is divided
   * first as for {@link Skip}, and the policy is asked again for each half that fails.
   */
  record Stop() implements Decision {}

  /**
   * One change is left out: the one that a {@link FailedRecordException} names, as the error or one
   * of its causes. If none does and the input has several records, the input is divided in halves,
   * and so on until a single record fails; the policy is asked again each time. The order of
   * changes stays.
   *
   * <p>Processed again is everything in a call that failed, but for the change that is left out:
   * what comes before it in a call of its own, and then what comes behind. What was in a call that
   * returned is not processed again. A half has the failed attempts of the whole; a single record
   * begins with none, and so does the second half when the first has failed. So a policy that
   * retries some times before it skips sees that each change that it leaves out has failed that
   * often alone, unless it was named.
   *
   * <p>The change is logged, counted, and stored with the checkpoint that passes it: {@link
   * DescribeTunnelResponse#skipped} has the last hundred. If the channel ends before that
   * checkpoint is stored, its next holder is given the change again.
   */
  record Skip() implements Decision {}

  /**
   * Decides.
   *
   * @param input what the processor was given
   * @param error what it threw
   * @param attempts how often it has thrown at this input, this time included; see {@link Skip} for
   *     a part of an input
   */
  Decision decide(ProcessRecordsInput input, Throwable error, int attempts);
}
