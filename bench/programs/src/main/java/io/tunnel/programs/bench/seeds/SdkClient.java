package io.tunnel.programs.bench.seeds;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * One client on a connection of the SDK, with TLS and a key where the configuration says so. The
 * client keeps its connection, or opens one for each operation and closes it after the operation's
 * last answer. Belongs to one event loop.
 */
final class SdkClient implements ClosedLoop.Client {

  private final int number;
  private final int thread;
  private final EventLoops.Place place;
  private final Supplier<CompletableFuture<Connection>> opening;

  /** Empty for a client that keeps its connection. */
  private final Optional<AtomicLong> connectionsLeft;

  /** Empty for a client that opens a connection for each operation. */
  private final Optional<CompletableFuture<Connection>> kept;

  private long asked;
  private long beganNanos;

  private SdkClient(
      int number,
      int thread,
      EventLoops.Place place,
      Supplier<CompletableFuture<Connection>> opening,
      Optional<AtomicLong> connectionsLeft) {
    this.number = number;
    this.thread = thread;
    this.place = place;
    this.opening = opening;
    this.connectionsLeft = connectionsLeft;
    this.kept = connectionsLeft.isPresent() ? Optional.empty() : Optional.of(opening.get());
  }

  /**
   * Clients that keep their connections.
   *
   * @param servers where each client connects, by its number
   */
  static ClosedLoop.Clients keeping(LoadedConfig config, IntFunction<Endpoint> servers) {
    return (number, thread, place) ->
        new SdkClient(
            number,
            thread,
            place,
            () ->
                Connection.open(
                    ClientPort.of(place, new SystemClock()),
                    config,
                    servers.apply(number),
                    PushReceiver.NONE),
            Optional.empty());
  }

  /**
   * Clients that open a connection for each operation, to the first endpoint of the configuration.
   *
   * @param connectionsLeft connections that all clients together may still open; a client that gets
   *     none leaves the run
   */
  static ClosedLoop.Clients reopening(LoadedConfig config, AtomicLong connectionsLeft) {
    Endpoint server = config.config().endpoints().get(0);
    return (number, thread, place) ->
        new SdkClient(
            number,
            thread,
            place,
            () ->
                Connection.open(
                    ClientPort.of(place, new SystemClock()), config, server, PushReceiver.NONE),
            Optional.of(connectionsLeft));
  }

  @Override
  public CompletableFuture<?> whenReady() {
    return kept.orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  @Override
  public void begin(LoadRun run) {
    place
        .loop()
        .execute(
            () -> {
              asked = 0;
              operate(run);
            });
  }

  private void operate(LoadRun run) {
    if (!run.goesOn(asked) || connectionsLeft.map(AtomicLong::getAndDecrement).orElse(1L) <= 0) {
      run.left();
      return;
    }
    beganNanos = run.nanos();
    var unused =
        kept.orElseGet(opening)
            .whenComplete(
                (connection, failure) -> {
                  if (failure == null) {
                    ask(run, connection);
                  } else {
                    run.failed("a connection was not opened: " + failure.getMessage());
                  }
                });
  }

  private void ask(LoadRun run, Connection connection) {
    long request = asked++;
    Operation operation = Operation.valueOf(run.requests().name(request));
    var unused =
        connection
            .request(operation, run.requests().payload(number, request))
            .thenAccept(answer -> answered(run, connection, request, answer.payload()))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    connection.close();
                    run.failed(operation + ": " + failure.getMessage());
                  }
                });
  }

  private void answered(LoadRun run, Connection connection, long request, byte[] answer) {
    Optional<String> wrong = run.requests().wrong(request, answer);
    if (wrong.isPresent()) {
      throw new IllegalStateException(wrong.get());
    }
    if (asked % run.requests().ofOperation() != 0) {
      ask(run, connection);
      return;
    }
    if (kept.isEmpty()) {
      connection.close();
    }
    run.answered(thread, run.nanos() - beganNanos);
    operate(run);
  }
}
