package io.tunnel.programs.bench.seeds;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One user: opens a connection for each operation, asks the operation's requests on the connection
 * one after the other, and closes the connection. Belongs to one event loop.
 */
final class AccessUser {

  private final int number;
  private final int thread;
  private final EventLoops.Place place;
  private final LoadedConfig config;
  private final LoadRun run;

  /** Connections that all users together may still open. */
  private final AtomicLong connectionsLeft;

  private long asked;
  private long beganNanos;

  /**
   * A user of a run.
   *
   * @param number its number among all users
   * @param thread the number of its event loop
   */
  AccessUser(
      int number,
      int thread,
      EventLoops.Place place,
      LoadedConfig config,
      LoadRun run,
      AtomicLong connectionsLeft) {
    this.number = number;
    this.thread = thread;
    this.place = place;
    this.config = config;
    this.run = run;
    this.connectionsLeft = connectionsLeft;
  }

  /** For any thread. */
  void begin() {
    place.loop().execute(this::open);
  }

  private void open() {
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
                    ask(connection);
                  } else {
                    run.failed("a connection was not opened: " + failure.getMessage());
                  }
                });
  }

  private void ask(Connection connection) {
    long request = asked++;
    Requests requests = run.requests();
    Operation operation = Operation.valueOf(requests.name(request));
    var unused =
        connection
            .request(operation, requests.payload(number, request))
            .thenAccept(answer -> answered(connection, request, answer.payload()))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    connection.close();
                    run.failed(operation + ": " + failure.getMessage());
                  }
                });
  }

  private void answered(Connection connection, long request, byte[] answer) {
    Optional<String> wrong = run.requests().wrong(request, answer);
    if (wrong.isPresent()) {
      throw new IllegalStateException(wrong.get());
    }
    if (asked % run.requests().ofOperation() != 0) {
      ask(connection);
      return;
    }
    connection.close();
    run.answered(thread, run.nanos() - beganNanos);
    open();
  }
}
