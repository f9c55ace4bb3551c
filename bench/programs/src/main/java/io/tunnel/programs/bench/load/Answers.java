package io.tunnel.programs.bench.load;

/** Takes the times of operations. For any thread. */
@FunctionalInterface
public interface Answers {

  /** Takes no times. */
  Answers NONE = (dueNanos, nowNanos) -> {};

  /** An operation is done that was due, or without a rate began, at {@code dueNanos}. */
  void answered(long dueNanos, long nowNanos);
}
