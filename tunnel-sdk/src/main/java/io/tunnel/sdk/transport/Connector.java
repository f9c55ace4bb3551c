package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The one connection of a client to an endpoint: opened when it is first asked for, and again when
 * it was lost, with a growing pause while that fails. Thread-safe; its state belongs to one event
 * loop, on which its futures complete and its connections live.
 */
final class Connector {

  private static final long PAUSE_FIRST_MS = 10;

  /** Short, because who waits here does not look who else has taken the node's place. */
  private static final long PAUSE_MS_MAX = 300;

  private final LoadedConfig config;
  private final Endpoint endpoint;
  private final EventLoops.Place place;
  private final EventLoop loop;
  private final Ticker ticker;
  private final RandomGenerator jitter = SystemClock.jitter();
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);
  private volatile Connection current;
  private CompletableFuture<Connection> opening;
  private int failures;
  private long notBeforeNanos;
  private volatile long usedNanos;
  private volatile boolean isClosed;

  /** A connector that has not connected yet. */
  Connector(LoadedConfig config, Endpoint endpoint, EventLoops.Place place, Ticker ticker) {
    this.config = config;
    this.endpoint = endpoint;
    this.place = place;
    this.loop = place.loop();
    this.ticker = ticker;
    this.usedNanos = ticker.nanos();
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /**
   * An open connection: the one there is, or a new one. Fails with a {@link ConnectionException}
   * when it cannot be opened, and with the server's refusal when it does not want us; asking again
   * tries again.
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

  /** When its connection was last asked for. */
  long usedNanos() {
    return usedNanos;
  }

  /** Whether a new attempt has to wait, because the last ones failed. On the event loop. */
  boolean isPausing() {
    return failures > 0 && notBeforeNanos - ticker.nanos() > 0;
  }

  /** Whether nothing waits for it: no connection, and no answer. On the event loop. */
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
        Connection.open(place, config, endpoint, PushReceiver.NONE);
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
                notBeforeNanos = ticker.nanos() + backoff.pauseNanos(failures, jitter.nextDouble());
                waiting.completeExceptionally(failure);
              }
            });
  }

  static ConnectionException closed() {
    return new ConnectionException("the client is closed", true, null);
  }

  /** Closes the connection, which is opened again when it is asked for. On the event loop. */
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
