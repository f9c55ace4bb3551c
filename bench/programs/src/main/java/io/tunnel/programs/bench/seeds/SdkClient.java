package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.load.Turn;
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
import java.util.concurrent.Executor;
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
  private final EventLoops.Place place;
  private final Supplier<CompletableFuture<Connection>> opening;

  /** Empty for a client that keeps its connection. */
  private final Optional<AtomicLong> connectionsLeft;

  /** Empty for a client that opens a connection for each operation. */
  private final Optional<CompletableFuture<Connection>> kept;

  private SdkClient(
      int number,
      EventLoops.Place place,
      Supplier<CompletableFuture<Connection>> opening,
      Optional<AtomicLong> connectionsLeft) {
    this.number = number;
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
    return (number, place) ->
        new SdkClient(
                number, place, opening(place, config, servers.apply(number)), Optional.empty())
            .ready();
  }

  /**
   * Clients that open a connection for each operation, to the first endpoint of the configuration.
   *
   * @param connectionsLeft connections that all clients together may still open; a client that gets
   *     none leaves the run
   */
  static ClosedLoop.Clients reopening(LoadedConfig config, AtomicLong connectionsLeft) {
    Endpoint server = config.config().endpoints().get(0);
    return (number, place) ->
        new SdkClient(number, place, opening(place, config, server), Optional.of(connectionsLeft))
            .ready();
  }

  private static Supplier<CompletableFuture<Connection>> opening(
      EventLoops.Place place, LoadedConfig config, Endpoint server) {
    return () ->
        Connection.open(ClientPort.of(place, new SystemClock()), config, server, PushReceiver.NONE);
  }

  private CompletableFuture<ClosedLoop.Client> ready() {
    return kept.map(opened -> opened.<ClosedLoop.Client>thenApply(connection -> this))
        .orElseGet(() -> CompletableFuture.completedFuture(this));
  }

  @Override
  public Executor loop() {
    return place.loop();
  }

  @Override
  public void operate(Requests requests, Turn turn) {
    if (connectionsLeft.map(AtomicLong::getAndDecrement).orElse(1L) <= 0) {
      turn.leave();
      return;
    }
    var unused =
        kept.orElseGet(opening)
            .whenComplete(
                (connection, failure) -> {
                  if (failure == null) {
                    ask(new Asking(requests, turn, connection), 0);
                  } else {
                    turn.failed(
                        new IllegalStateException(
                            "a connection was not opened: " + failure.getMessage(), failure));
                  }
                });
  }

  /** An operation on its connection. */
  private record Asking(Requests requests, Turn turn, Connection connection) {}

  /** Asks what is the {@code done}th request of the operation, from 0. */
  private void ask(Asking asking, int done) {
    Requests requests = asking.requests();
    long request = asking.turn().number() * requests.ofOperation() + done;
    Operation operation = Operation.valueOf(requests.name(request));
    var unused =
        asking
            .connection()
            .request(operation, requests.payload(number, request))
            .thenAccept(answer -> requireRight(requests.wrong(request, answer.payload())))
            .whenComplete(
                (right, failure) -> {
                  if (failure != null) {
                    asking.connection().close();
                    asking
                        .turn()
                        .failed(
                            new IllegalStateException(
                                operation + ": " + failure.getMessage(), failure));
                  } else if (done + 1 < requests.ofOperation()) {
                    ask(asking, done + 1);
                  } else {
                    end(asking);
                  }
                });
  }

  private static void requireRight(Optional<String> wrong) {
    if (wrong.isPresent()) {
      throw new IllegalStateException(wrong.get());
    }
  }

  private void end(Asking asking) {
    if (kept.isEmpty()) {
      asking.connection().close();
    }
    asking.turn().done();
  }
}
