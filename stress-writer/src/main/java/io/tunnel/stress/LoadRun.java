package io.tunnel.stress;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.stress.rows.RowSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sends rows with one thread per source and tallies their outcomes. Each row's latency runs from
 * the time at which it was meant to leave to its outcome.
 *
 * <p>A paced run counts the rows that were due and not sent because the server was too slow, and
 * takes their latency for the time that they were overdue at the end: without them, a server that
 * cannot keep up with the rate would look faster than it is ("coordinated omission").
 *
 * <p>The run ends early when a row was given up as never sent, because then the server has been
 * away for as long as the SDK was told to retry, and every further row would wait as long in vain.
 */
public final class LoadRun {

  private final RowSink sink;
  private final LoadPlan plan;
  private final LoadClock clock;
  private final Observer observer;
  private final WriteTally tally = new WriteTally();
  private final CountDownLatch running;
  private final List<AtomicReference<Step>> steps;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile ThreadFactory threads;
  private volatile boolean stopped;
  private volatile boolean serverIsAway;

  /** What a sender does; a sender whose source is silent is left behind when the run is stopped. */
  private enum Step {
    SENDING,
    READING,
    LEFT
  }

  /** Learns each row's outcome as {@link RowCallback} does, with the time of the callback. */
  @FunctionalInterface
  public interface Observer {

    /** A row has its outcome; {@code nowNanos} is the run's clock. */
    void completed(RowChange row, RowResult result, long nowNanos);
  }

  /** A run, not yet started. */
  public LoadRun(RowSink sink, LoadPlan plan, LoadClock clock, Observer observer) {
    this.sink = sink;
    this.plan = plan;
    this.clock = clock;
    this.observer = observer;
    this.running = new CountDownLatch(plan.sources().size());
    this.steps =
        plan.sources().stream().map(source -> new AtomicReference<>(Step.SENDING)).toList();
  }

  /** Starts the senders; once. */
  public void start(ThreadFactory threads) {
    this.threads = threads;
    long startNanos = clock.nanos();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < plan.sources().size(); i++) {
      int sender = i;
      senders.add(threads.newThread(() -> run(sender, startNanos)));
    }
    senders.forEach(Thread::start);
  }

  /** Makes the senders end after their present row. */
  public void stop() {
    stopped = true;
  }

  /**
   * Waits until all senders have ended and every row that they sent has its outcome; false when
   * {@code waitMs} passed before. A sender of a stopped run that reads for so long, as from a pipe
   * that is silent, is left behind: what it reads is not sent.
   */
  public boolean awaitSenders(long waitMs) throws InterruptedException {
    boolean wasStopped = stopped;
    boolean haveEnded = running.await(waitMs, TimeUnit.MILLISECONDS);
    if (!haveEnded && wasStopped) {
      leaveReaders();
    }
    return haveEnded;
  }

  private void leaveReaders() {
    for (AtomicReference<Step> step : steps) {
      if (step.compareAndSet(Step.READING, Step.LEFT)) {
        threads.newThread(this::end).start();
      }
    }
  }

  /** Whether a sender was left behind while it read a row. */
  public boolean hasLeftReader() {
    return steps.stream().anyMatch(step -> step.get() == Step.LEFT);
  }

  /** Throws what ended a sender, such as a {@link BadLineException}, if anything did. */
  public void requireNoFailure() {
    Throwable failed = failure.get();
    if (failed instanceof Error error) {
      throw error;
    } else if (failed instanceof RuntimeException exception) {
      throw exception;
    }
  }

  /** Whether a sender ended by what {@link #requireNoFailure} throws. */
  public boolean hasFailed() {
    return failure.get() != null;
  }

  /** The outcomes so far. */
  public WriteTally tally() {
    return tally;
  }

  /** Whether the run ended early because the server could not be reached. */
  public boolean serverIsAway() {
    return serverIsAway;
  }

  private void run(int sender, long startNanos) {
    attempt(() -> send(sender, startNanos));
    if (steps.get(sender).get() != Step.LEFT) {
      end();
    }
  }

  private void end() {
    try {
      attempt(sink::flush);
    } finally {
      running.countDown();
    }
  }

  /** The next row of a sender; null behind the last one, and when the sender was left behind. */
  private RowChange next(int sender) {
    AtomicReference<Step> step = steps.get(sender);
    step.set(Step.READING);
    try {
      RowChange row = plan.sources().get(sender).next();
      return step.compareAndSet(Step.READING, Step.SENDING) ? row : null;
    } catch (RuntimeException e) {
      if (step.compareAndSet(Step.READING, Step.SENDING)) {
        throw e;
      }
      return null;
    }
  }

  private void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
      stop();
    }
  }

  private void send(int sender, long startNanos) {
    RowSource source = plan.sources().get(sender);
    PacerCore pacer =
        plan.rowsPerSecond().isEmpty()
            ? null
            : new PacerCore(
                startNanos, plan.rowsPerSecond().getAsLong(), plan.sources().size(), sender);
    long runNanos = plan.duration().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    long rowsLeft = plan.rowsOf(sender);
    while (rowsLeft > 0) {
      long nowNanos = clock.nanos();
      if (stopped || nowNanos - startNanos >= runNanos) {
        missed(pacer, startNanos, Math.min(nowNanos - startNanos, runNanos), rowsLeft);
        return;
      }
      long intendedNanos = pacer == null ? nowNanos : pacer.nextNanos();
      if (intendedNanos - startNanos >= runNanos) {
        return;
      }
      if (pacer != null) {
        clock.waitUntil(intendedNanos, () -> stopped);
      }
      if (stopped) {
        // The source may not have the row of this intended time.
        missed(pacer, startNanos, clock.nanos() - startNanos, rowsLeft - 1);
        return;
      }
      RowChange row = next(sender);
      if (row == null) {
        return;
      }
      try {
        sink.add(row, new SentRow(this, intendedNanos));
        rowsLeft--;
      } catch (IllegalArgumentException e) {
        source.refused(e);
      }
    }
  }

  /** Counts the rows that were due before {@code runNanos} after the start. */
  private void missed(PacerCore pacer, long startNanos, long runNanos, long rowsLeft) {
    if (pacer == null) {
      return;
    }
    long endNanos = startNanos + runNanos;
    long first = pacer.nextNanos();
    if (first < endNanos) {
      long later = Math.min(pacer.dueBefore(endNanos), rowsLeft - 1);
      tally.missed(1 + later, endNanos - first);
    }
  }

  private void completed(RowChange row, RowResult result, long intendedNanos) {
    long nowNanos = clock.nanos();
    tally.completed(row, result, nowNanos - intendedNanos);
    if (result.outcome() == RowResult.Outcome.NOT_SENT && !stopped) {
      serverIsAway = true;
      stop();
    }
    observer.completed(row, result, nowNanos);
  }

  /** A row in flight: the data that is kept until the outcome arrives. */
  private record SentRow(LoadRun run, long intendedNanos) implements RowCallback {
    @Override
    public void completed(RowChange row, RowResult result) {
      run.completed(row, result, intendedNanos);
    }
  }
}
