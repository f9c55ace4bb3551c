package io.tunnel.programs.bench.seeds;

import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * One run of all clients. A client asks until it has asked often enough or the run is stopped.
 * Answers after the stop do not count. Each thread has a histogram of its own.
 */
final class LoadRun {

  private final LoadClock clock;
  private final Requests requests;
  private final long requestsOfClient;
  private final List<Histogram> nanosByThread = new ArrayList<>();
  private final AtomicInteger active;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean isStopped;

  /** Whether an answer counts already. */
  private volatile boolean hasAnswers;

  /** Begins so many operations of each client; 0 for until {@link #stop}. */
  LoadRun(LoadClock clock, Requests requests, long operationsOfClient, int clients, int threads) {
    this.clock = clock;
    this.requests = requests;
    this.requestsOfClient =
        operationsOfClient == 0 ? Long.MAX_VALUE : operationsOfClient * requests.ofOperation();
    this.active = new AtomicInteger(clients);
    for (int i = 0; i < threads; i++) {
      nanosByThread.add(Trips.histogram());
    }
  }

  Requests requests() {
    return requests;
  }

  /** Whether a client that has asked so often begins another operation. */
  boolean goesOn(long asked) {
    return !isStopped && asked < requestsOfClient && !ended.isCompletedExceptionally();
  }

  long nanos() {
    return clock.nanos();
  }

  /** On the event loop of that number. */
  void answered(int thread, long tookNanos) {
    if (!isStopped) {
      Histogram nanos = nanosByThread.get(thread);
      nanos.recordValue(Math.min(nanos.getHighestTrackableValue(), tookNanos));
      if (!hasAnswers) {
        hasAnswers = true;
      }
    }
  }

  boolean hasAnswers() {
    return hasAnswers;
  }

  /** A client asks no more. */
  void left() {
    if (active.decrementAndGet() == 0) {
      ended.complete(null);
    }
  }

  void failed(String why) {
    ended.completeExceptionally(new IllegalStateException(why));
  }

  void stop() {
    isStopped = true;
  }

  /** Completes when no client has an open request; fails with the first failure. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  /** When the run has ended. */
  Trips trips(long elapsedNanos) {
    return Trips.of(nanosByThread, elapsedNanos);
  }
}
