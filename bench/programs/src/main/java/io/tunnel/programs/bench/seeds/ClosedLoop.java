package io.tunnel.programs.bench.seeds;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
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
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

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
  private final List<EventLoops> threads = new ArrayList<>();
  private final List<LoadClient> clients = new ArrayList<>();

  private ClosedLoop(LoadClock clock) {
    this.clock = clock;
    for (int i = 0; i < THREADS; i++) {
      threads.add(EventLoops.start(1));
    }
  }

  /**
   * Opens and greets on all connections.
   *
   * @param ports where each client connects, by its number
   * @throws CommandFailure when the server does not take them all
   */
  static ClosedLoop open(
      IntUnaryOperator ports, int clients, Supplier<Dialogue> dialogues, LoadClock clock)
      throws InterruptedException {
    ClosedLoop loop = new ClosedLoop(clock);
    try {
      for (int from = 0; from < clients; from += OPENING_MAX) {
        loop.open(ports, from, Math.min(clients, from + OPENING_MAX), dialogues);
      }
      return loop;
    } catch (RuntimeException | InterruptedException e) {
      loop.close();
      throw e;
    }
  }

  private void open(IntUnaryOperator ports, int from, int to, Supplier<Dialogue> dialogues)
      throws InterruptedException {
    List<CompletableFuture<LoadClient>> opening = new ArrayList<>();
    for (int number = from; number < to; number++) {
      int thread = number % THREADS;
      LoadClient client = new LoadClient(number, thread, dialogues.get());
      opening.add(client.whenGreeted());
      EventLoops.Place place = threads.get(thread).nextPlace();
      var unused =
          new Bootstrap()
              .group(place.loop())
              .channel(place.channelType())
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(client)
              .connect("127.0.0.1", ports.applyAsInt(number))
              .addListener(
                  done -> {
                    if (!done.isSuccess()) {
                      client.whenGreeted().completeExceptionally(done.cause());
                    }
                  });
    }
    for (CompletableFuture<LoadClient> each : opening) {
      clients.add(
          await(each, OPEN_MAX.toSeconds(), "connection " + clients.size() + " was not opened"));
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

  /** All clients ask until the seconds are over. */
  Trips runFor(int seconds, Requests requests) throws InterruptedException {
    LoadRun run = begin(requests, 0);
    long startNanos = clock.nanos();
    long endNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
    clock.waitUntil(endNanos, run.ended()::isDone);
    run.stop();
    long elapsedNanos = clock.nanos() - startNanos;
    awaitLast(run);
    return run.trips(elapsedNanos);
  }

  /** Waits for the last answers of a run that was stopped. */
  static void awaitLast(LoadRun run) throws InterruptedException {
    var unused = await(run.ended(), LAST_ANSWER_SECONDS_MAX, "the last requests were not answered");
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
    threads.forEach(EventLoops::close);
  }
}
