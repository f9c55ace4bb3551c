package io.tunnel.sdk;

import java.time.Duration;
import java.util.Objects;

/**
 * Decides what happens when a processor has thrown. Called on the thread that called the processor,
 * for several channels at once; when it throws itself, the channel stops.
 */
@FunctionalInterface
public interface FailurePolicy {

  /** What happens next. */
  sealed interface Decision permits Retry, Stop {}

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
   * given to nobody until an operator resumes it.
   */
  record Stop() implements Decision {}

  /**
   * Decides.
   *
   * @param input what the processor was given
   * @param error what it threw
   * @param attempts how often it has thrown at this input, this time included
   */
  Decision decide(ProcessRecordsInput input, Throwable error, int attempts);
}
