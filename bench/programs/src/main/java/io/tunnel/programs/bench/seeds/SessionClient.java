package io.tunnel.programs.bench.seeds;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One client that opens a connection of the SDK for each operation, with TLS and a key where the
 * configuration says so, and closes the connection after the operation's last answer. Belongs to
 * one event loop.
 */
final class SessionClient implements ClosedLoop.Client {

  private final int number;
  private final int thread;
  private final EventLoops.Place place;
  private final LoadedConfig config;
  private final AtomicLong connectionsLeft;
  private long asked;
  private long beganNanos;

  private SessionClient(
      int number,
      int thread,
      EventLoops.Place place,
      LoadedConfig config,
      AtomicLong connectionsLeft) {
    this.number = number;
    this.thread = thread;
    this.place = place;
    this.config = config;
    this.connectionsLeft = connectionsLeft;
  }

  /**
   * Clients of a server.
   *
   * @param connectionsLeft connections that all clients together may still open; a client that gets
   *     none leaves the run
   */
  static ClosedLoop.Clients of(LoadedConfig config, AtomicLong connectionsLeft) {
    return (number, thread, place) ->
        new SessionClient(number, thread, place, config, connectionsLeft);
  }

  @Override
  public CompletableFuture<?> whenReady() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void begin(LoadRun run) {
    place
        .loop()
        .execute(
            () -> {
              asked = 0;
              connect(run);
            });
  }

  private void connect(LoadRun run) {
    if (!run.goesOn(asked) || connectionsLeft.getAndDecrement() <= 0) {
      run.left();
      return;
    }
    beganNanos = run.nanos();
    Endpoint endpoint = config.config().endpoints().get(0);
    var unused =
        Connection.open(place, config, endpoint, PushReceiver.NONE)
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
    connection.close();
    run.answered(thread, run.nanos() - beganNanos);
    connect(run);
  }
}
