package io.tunnel.programs.bench.seeds;

import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Many clients on few threads, each with one connection and one request at a time: a client asks
 * again when it is answered, so the number of clients is the number of open requests.
 */
final class ClosedLoop implements AutoCloseable {

  /** Threads of all clients. */
  static final int THREADS = 2;

  /** Connections that are being opened at a time, fewer than fit into the queue of a listener. */
  private static final int OPENING_MAX = 64;

  /** How long a connection may take to open. */
  static final Duration OPEN_MAX = Duration.ofSeconds(60);

  private static final long RUN_SECONDS_MAX = 1_200;
  private static final long LAST_ANSWER_SECONDS_MAX = 60;

  private final LoadClock clock;
  private final List<EventLoops.Place> threads = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();

  private ClosedLoop(LoadClock clock) {
    this.clock = clock;
    for (int i = 0; i < THREADS; i++) {
      threads.add(new EventLoops(1).place());
    }
  }

  /** A client of a loop. */
  interface Client {

    /** Completes when the client can take part in a run. */
    CompletableFuture<?> whenReady();

    /** Takes part in a run. For any thread. */
    void begin(LoadRun run);
  }

  /** Makes the client of that number, on the thread of that number. */
  @FunctionalInterface
  interface Clients {
    Client open(int number, int thread, EventLoops.Place place);
  }

  /**
   * Makes all clients, and returns when all are ready.
   *
   * @throws CommandFailure when one cannot take part
   */
  static ClosedLoop open(Clients made, int clients, LoadClock clock) throws InterruptedException {
    ClosedLoop loop = new ClosedLoop(clock);
    try {
      for (int from = 0; from < clients; from += OPENING_MAX) {
        loop.open(made, from, Math.min(clients, from + OPENING_MAX));
      }
      return loop;
    } catch (RuntimeException | InterruptedException e) {
      loop.close();
      throw e;
    }
  }

  private void open(Clients made, int from, int to) throws InterruptedException {
    for (int number = from; number < to; number++) {
      int thread = number % THREADS;
      clients.add(made.open(number, thread, threads.get(thread)));
    }
    for (int number = from; number < to; number++) {
      var unused =
          await(
              clients.get(number).whenReady(),
              OPEN_MAX.toSeconds(),
              "connection " + number + " was not opened");
    }
  }

  private static <T> T await(CompletableFuture<T> future, long secondsMax, String what)
      throws InterruptedException {
    try {
      return future.get(secondsMax, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw CommandFailure.failed(what + ": " + e.getCause().getMessage());
    } catch (TimeoutException e) {
      throw CommandFailure.failed(what + " within " + secondsMax + " s");
    }
  }

  /**
   * All clients ask until the seconds are over. Without any answer by then there would be neither a
   * rate nor a time, so the run goes on to the first answer; the rate is of the whole run.
   */
  Trips runFor(int seconds, Requests requests) throws InterruptedException {
    LoadRun run = begin(requests, 0);
    long startNanos = clock.nanos();
    long endNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
    clock.waitUntil(endNanos, run.ended()::isDone);
    clock.waitUntil(
        endNanos + TimeUnit.SECONDS.toNanos(LAST_ANSWER_SECONDS_MAX),
        () -> run.hasAnswers() || run.ended().isDone());
    run.stop();
    long elapsedNanos = clock.nanos() - startNanos;
    var unused = await(run.ended(), LAST_ANSWER_SECONDS_MAX, "the last requests were not answered");
    return run.trips(elapsedNanos);
  }

  /** Each client asks so often. */
  Trips runRequests(int requestsOfClient, Requests requests) throws InterruptedException {
    long startNanos = clock.nanos();
    LoadRun run = begin(requests, requestsOfClient);
    var unused = await(run.ended(), RUN_SECONDS_MAX, "the requests were not answered");
    return run.trips(clock.nanos() - startNanos);
  }

  private LoadRun begin(Requests requests, int requestsOfClient) {
    LoadRun run = new LoadRun(clock, requests, requestsOfClient, clients.size(), THREADS);
    clients.forEach(client -> client.begin(run));
    return run;
  }

  @Override
  public void close() {
    threads.forEach(EventLoops.Place::close);
  }
}
