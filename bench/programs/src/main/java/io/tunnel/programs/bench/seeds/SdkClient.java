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
 * One client on connections of the SDK, with TLS and a key where the configuration says so: the
 * client keeps one connection, or opens one for each operation and closes it after the last answer.
 * Belongs to one event loop.
 */
final class SdkClient implements ClosedLoop.Client {

  private final int number;
  private final int thread;
  private final EventLoops.Place place;
  private final LoadedConfig config;

  /**
   * Connections that all clients together may still open; empty for a client that keeps its own.
   */
  private final Optional<AtomicLong> connectionsLeft;

  private final CompletableFuture<Optional<Connection>> kept;
  private long asked;
  private long beganNanos;

  private SdkClient(
      int number,
      int thread,
      EventLoops.Place place,
      LoadedConfig config,
      Optional<AtomicLong> connectionsLeft) {
    this.number = number;
    this.thread = thread;
    this.place = place;
    this.config = config;
    this.connectionsLeft = connectionsLeft;
    this.kept =
        connectionsLeft.isPresent()
            ? CompletableFuture.completedFuture(Optional.empty())
            : connect().thenApply(Optional::of);
  }

  /** Clients that keep a connection each. */
  static ClosedLoop.Clients keeping(LoadedConfig config) {
    return (number, thread, place) ->
        new SdkClient(number, thread, place, config, Optional.empty());
  }

  /**
   * Clients that open a connection for each operation.
   *
   * @param connectionsLeft connections that they may still open; a client without one leaves the
   *     run
   */
  static ClosedLoop.Clients ofOperations(LoadedConfig config, AtomicLong connectionsLeft) {
    return (number, thread, place) ->
        new SdkClient(number, thread, place, config, Optional.of(connectionsLeft));
  }

  private CompletableFuture<Connection> connect() {
    Endpoint endpoint = config.config().endpoints().get(0);
    return Connection.open(place, config, endpoint, PushReceiver.NONE);
  }

  @Override
  public CompletableFuture<Optional<Connection>> whenReady() {
    return kept;
  }

  @Override
  public void begin(LoadRun run) {
    place
        .loop()
        .execute(
            () -> {
              asked = 0;
              next(run);
            });
  }

  private void next(LoadRun run) {
    if (!run.goesOn(asked) || (connectionsLeft.isPresent() && !mayConnect())) {
      run.left();
      return;
    }
    beganNanos = run.nanos();
    Optional<Connection> own = kept.join();
    if (own.isPresent()) {
      ask(run, own.get());
      return;
    }
    var unused =
        connect()
            .whenComplete(
                (connection, failure) -> {
                  if (failure == null) {
                    ask(run, connection);
                  } else {
                    run.failed("a connection was not opened: " + failure.getMessage());
                  }
                });
  }

  private boolean mayConnect() {
    return connectionsLeft.orElseThrow().getAndDecrement() > 0;
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
    if (connectionsLeft.isPresent()) {
      connection.close();
    }
    run.answered(thread, run.nanos() - beganNanos);
    next(run);
  }
}
