package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The one connection of a client: opened when it is first asked for, and again when it was lost,
 * with a growing pause while that fails. Thread-safe; its state belongs to one event loop, on which
 * its futures complete and its connections live.
 */
public final class Connector implements AutoCloseable {

  private static final long PAUSE_FIRST_MS = 10;
  private static final long PAUSE_MS_MAX = 1_000;
  private static final long CLOSE_MS_MAX = 2_000;

  private final ClientConfig config;
  private final EventLoops loops;
  private final EventLoop loop;
  private final Ticker ticker;
  private final RandomGenerator jitter = SystemClock.jitter();
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);
  private volatile Connection current;
  private CompletableFuture<Connection> opening;
  private int failures;
  private long notBeforeNanos;
  private volatile boolean isClosed;
  private final List<Runnable> closing = new CopyOnWriteArrayList<>();

  /** A connector that has not connected yet. */
  public Connector(ClientConfig config, EventLoops loops, Ticker ticker) {
    this.config = config;
    this.loops = loops;
    this.loop = loops.next();
    this.ticker = ticker;
  }

  /** The event loop of all its connections. */
  public EventLoop loop() {
    return loop;
  }

  /** How to reach the server. */
  public ClientConfig config() {
    return config;
  }

  /**
   * An open connection: the one there is, or a new one. Fails with a {@link ConnectionException}
   * when it cannot be opened, and with the server's refusal when it does not want us; asking again
   * tries again.
   */
  public CompletableFuture<Connection> connection() {
    Connection connection = current;
    CompletableFuture<Connection> answer = new CompletableFuture<>();
    if (connection != null && connection.isOpen() && !isClosed) {
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
  public Connection openConnection() {
    Connection connection = current;
    return connection != null && connection.isOpen() && !isClosed ? connection : null;
  }

  boolean isClosed() {
    return isClosed;
  }

  private void join(CompletableFuture<Connection> answer) {
    if (isClosed) {
      answer.completeExceptionally(closed());
      return;
    }
    if (current != null && current.isOpen()) {
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
    CompletableFuture<Connection> attempt = Connection.open(loops, loop, config, PushReceiver.NONE);
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

  private static ConnectionException closed() {
    return new ConnectionException("the client is closed", true, null);
  }

  /**
   * Runs the task on the event loop when the connector is closed, to end what waits for nothing.
   */
  void onClose(Runnable task) {
    closing.add(task);
  }

  /** Closes the connection; from now on every request fails. Idempotent. */
  @Override
  public void close() {
    isClosed = true;
    try {
      var ended = loop.submit(this::end);
      if (!EventLoops.isCallbackThread()) {
        ended.awaitUninterruptibly(CLOSE_MS_MAX);
      }
    } catch (RejectedExecutionException e) {
      // The loop has ended, and everything on it.
    }
  }

  private void end() {
    if (current != null) {
      current.close();
    }
    CompletableFuture<Connection> waiting = opening;
    opening = null;
    if (waiting != null) {
      waiting.completeExceptionally(closed());
    }
    closing.forEach(Runnable::run);
  }
}
