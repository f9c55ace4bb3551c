package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Times;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Many clients on few threads, each with one connection and one request at a time: a client asks
 * again when it is answered, so the number of clients is the number of open requests.
 */
final class ClosedLoop implements AutoCloseable {

  /** Threads of all clients. */
  static final int THREADS = 2;

  /** How long a connection may take to open. */
  static final Duration OPEN_MAX = Duration.ofSeconds(60);

  private static final long RUN_SECONDS_MAX = 1_200;
  private static final long LAST_ANSWER_SECONDS_MAX = 60;

  private final LoadClock clock;
  private final List<EventLoops.Place> threads = new ArrayList<>();
  private List<Client> clients = List.of();

  private ClosedLoop(LoadClock clock) {
    this.clock = clock;
    for (int i = 0; i < THREADS; i++) {
      threads.add(new EventLoops(1).place());
    }
  }

  /** A client of a loop. */
  interface Client {

    /** The event loop that everything of the client happens on. */
    Executor loop();

    /** Makes the requests of an operation, one after the other. */
    void operate(Requests requests, Turn turn);
  }

  /** Begins to open the client of that number on an event loop. */
  @FunctionalInterface
  interface Clients {

    CompletableFuture<Client> open(int number, EventLoops.Place place);
  }

  /**
   * Makes all clients, and returns when all are ready.
   *
   * @throws CommandFailure when one cannot take part
   */
  static ClosedLoop open(Clients made, int clients, LoadClock clock) throws InterruptedException {
    ClosedLoop loop = new ClosedLoop(clock);
    try {
      loop.clients =
          Load.open(
              clients,
              number -> made.open(number, loop.threads.get(number % THREADS)),
              "connection",
              OPEN_MAX.toSeconds());
      return loop;
    } catch (IllegalStateException e) {
      loop.close();
      throw CommandFailure.failed(e.getMessage());
    } catch (RuntimeException | InterruptedException e) {
      loop.close();
      throw e;
    }
  }

  /**
   * All clients ask until the seconds are over. Without any answer by then there would be neither a
   * rate nor a time, so the run goes on to the first answer; the rate is of the whole run.
   */
  Trips runFor(int seconds, Requests requests) throws InterruptedException {
    Times times = new Times();
    Load load = begin(Plan.CLOSED.timed(times), requests);
    long startNanos = clock.nanos();
    long endNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
    clock.waitUntil(endNanos, load::isOver);
    clock.waitUntil(
        endNanos + TimeUnit.SECONDS.toNanos(LAST_ANSWER_SECONDS_MAX),
        () -> load.answers() > 0 || load.isOver());
    load.stop();
    long elapsedNanos = clock.nanos() - startNanos;
    await(load, LAST_ANSWER_SECONDS_MAX, "the last requests were not answered");
    return Trips.of(times.histogram(), elapsedNanos);
  }

  /** Each client does so many operations. */
  Trips runRequests(int operationsOfClient, Requests requests) throws InterruptedException {
    Times times = new Times();
    long startNanos = clock.nanos();
    Load load = begin(Plan.CLOSED.operations(operationsOfClient).timed(times), requests);
    await(load, RUN_SECONDS_MAX, "the requests were not answered");
    return Trips.of(times.histogram(), clock.nanos() - startNanos);
  }

  private Load begin(Plan plan, Requests requests) {
    return Load.begin(
        clock, plan, clients.stream().map(client -> new Asking(client, requests)).toList());
  }

  /** A client in one run. */
  private record Asking(Client client, Requests requests)
      implements io.tunnel.programs.bench.load.Client {

    @Override
    public void begin(Runnable first) {
      client.loop().execute(first);
    }

    @Override
    public void operate(Turn turn) {
      client.operate(requests, turn);
    }
  }

  private static void await(Load load, long secondsMax, String what) throws InterruptedException {
    if (!load.awaitOver(secondsMax)) {
      throw CommandFailure.failed(what + " within " + secondsMax + " s");
    }
    if (load.failure().isPresent()) {
      throw CommandFailure.failed(what + ": " + load.failure().get().getMessage());
    }
  }

  @Override
  public void close() {
    threads.forEach(EventLoops.Place::close);
  }
}
