package io.tunnel.bench.flink.recovery;

import io.tunnel.stress.LoadClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The state that the tasks of a job share with the thread that interrupts the job. Safe for use by
 * any thread.
 */
final class RecoveryWatch {

  /** Static, because a task can reach only static state of this process. */
  private static final AtomicReference<RecoveryWatch> PRESENT = new AtomicReference<>();

  private final LoadClock clock;
  private final RecoveryCore core;
  private final Map<Integer, Long> lastByPartition = new HashMap<>();
  private Optional<String> trouble = Optional.empty();
  private boolean isFailureDue;

  RecoveryWatch(RecoveryCore core, LoadClock clock) {
    this.core = core;
    this.clock = clock;
  }

  /** Makes this object the watch of all tasks of this process. */
  void install() {
    PRESENT.set(this);
  }

  static RecoveryWatch present() {
    return Optional.ofNullable(PRESENT.get())
        .orElseThrow(() -> new IllegalStateException("nobody watches"));
  }

  long nanos() {
    return clock.nanos();
  }

  synchronized void begin() {
    core.begin(clock.nanos());
  }

  /** The next row that a task sees is to make it fail. */
  synchronized void failNext() {
    isFailureDue = true;
  }

  /** Whether the failure has not happened yet. */
  synchronized boolean isFailureDue() {
    return isFailureDue;
  }

  /**
   * A task sees a row that is the next of its partition.
   *
   * @throws InjectedFailure when the task is to fail
   */
  synchronized void seen(long openedNanos, SeenRow row) {
    if (isFailureDue) {
      isFailureDue = false;
      core.begin(clock.nanos());
      throw new InjectedFailure();
    }
    lastByPartition.put(row.partition(), row.ordinal());
    core.seen(openedNanos, row.partition(), clock.epochMs() - row.committedMs(), clock.nanos());
  }

  /** A task saw what it must not. */
  synchronized void broken(String reason) {
    trouble = trouble.or(() -> Optional.of(reason));
  }

  /** Throws when a task has seen a forbidden row. */
  synchronized void require() {
    if (trouble.isPresent()) {
      throw new IllegalStateException(trouble.get());
    }
  }

  synchronized boolean isFresh() {
    return core.isFresh();
  }

  synchronized Map<String, Double> figures() {
    return core.figures();
  }

  /** All rows of all partitions up to the last that was seen. */
  synchronized long rows() {
    return lastByPartition.values().stream().mapToLong(Long::longValue).sum();
  }

  /** What a task fails with when it is told to. */
  static final class InjectedFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedFailure() {
      super("injected");
    }
  }
}
