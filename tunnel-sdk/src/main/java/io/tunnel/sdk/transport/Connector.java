package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The one connection of a client to an endpoint. Opens on first use, and again after a loss, with
 * growing pauses between failed attempts. Thread-safe; the state, the futures and the connections
 * belong to one event loop.
 */
final class Connector {

  private static final long PAUSE_FIRST_MS = 10;

  /** Short, because a caller that waits here does not look for the node's successor. */
  private static final long PAUSE_MS_MAX = 300;

  private final LoadedConfig config;
  private final Endpoint endpoint;
  private final ClientPort port;
  private final EventLoop loop;
  private final Ticker ticker;
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);
  private volatile Connection current;
  private CompletableFuture<Connection> opening;
  private int failures;
  private long notBeforeNanos;
  private volatile long usedNanos;
  private volatile boolean isClosed;

  /** A connector that has not connected yet. */
  Connector(LoadedConfig config, Endpoint endpoint, ClientPort port) {
    this.config = config;
    this.endpoint = endpoint;
    this.port = port;
    this.loop = port.place().loop();
    this.ticker = port.ticker();
    this.usedNanos = ticker.nanos();
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /**
   * Returns the open connection, or opens a new one. Fails with a {@link ConnectionException} when
   * the server cannot be reached, and with the server's refusal when the server turns the client
   * away; the next call tries again.
   */
  CompletableFuture<Connection> connection() {
    Connection connection = openConnection();
    CompletableFuture<Connection> answer = new CompletableFuture<>();
    if (connection != null) {
      answer.complete(connection);
    } else {
      try {
        loop.execute(() -> join(answer));
      } catch (RejectedExecutionException e) {
        answer.completeExceptionally(closed());
      }
    }
    return answer;
  }

  /** The open connection, or null when there is none at the moment. */
  Connection openConnection() {
    Connection connection = current;
    usedNanos = ticker.nanos();
    return connection != null && connection.isUsable() && !isClosed ? connection : null;
  }

  boolean isCurrent(Connection connection) {
    return current == connection;
  }

  /** The time of the last request for the connection. */
  long usedNanos() {
    return usedNanos;
  }

  /** Whether a new attempt has to wait after failed attempts. On the event loop. */
  boolean isPausing() {
    return failures > 0 && notBeforeNanos - ticker.nanos() > 0;
  }

  /** Whether no caller waits for the connection, or for an answer on it. On the event loop. */
  boolean isIdle() {
    return opening == null && (current == null || !current.isOpen() || current.isIdle());
  }

  private void join(CompletableFuture<Connection> answer) {
    if (isClosed) {
      answer.completeExceptionally(closed());
      return;
    }
    if (current != null && current.isUsable()) {
      answer.complete(current);
      return;
    }
    if (opening == null) {
      opening = new CompletableFuture<>();
      long pause = failures == 0 ? 0 : Math.max(0, notBeforeNanos - ticker.nanos());
      var unused = loop.schedule(this::open, pause, TimeUnit.NANOSECONDS);
    }
    var unused =
        opening.whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                answer.complete(connection);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  private void open() {
    if (isClosed) {
      return;
    }
    CompletableFuture<Connection> attempt =
        Connection.open(port, config, endpoint, PushReceiver.NONE);
    var unused =
        attempt.whenComplete(
            (connection, failure) -> {
              CompletableFuture<Connection> waiting = opening;
              opening = null;
              if (isClosed) {
                if (connection != null) {
                  connection.close();
                }
              } else if (failure == null) {
                failures = 0;
                current = connection;
                waiting.complete(connection);
              } else {
                failures++;
                long pause = backoff.pauseNanos(failures, port.chance().nextDouble());
                notBeforeNanos = ticker.nanos() + pause;
                waiting.completeExceptionally(failure);
              }
            });
  }

  static ConnectionException closed() {
    return new ConnectionException("the client is closed", true, null);
  }

  /** Closes the connection until the next use. On the event loop. */
  void rest() {
    if (current != null) {
      current.close();
    }
  }

  /** Closes the connection; from now on every request fails. On the event loop. Idempotent. */
  void end() {
    isClosed = true;
    rest();
    CompletableFuture<Connection> waiting = opening;
    opening = null;
    if (waiting != null) {
      waiting.completeExceptionally(closed());
    }
  }
}
