package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one client, at most one per node. One node, the client's home, gets the
 * requests that every node can answer. All connections live on one event loop. Thread-safe.
 */
public final class Nodes implements AutoCloseable {

  /** The most connections of a client. */
  static final int CONNECTIONS_MAX = 256;

  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long CLOSE_MS_MAX = 2_000;

  private final LoadedConfig config;
  private final ClientPort port;
  private final EventLoop loop;
  private final Ticker ticker;
  private final Map<Endpoint, Connector> connectors = new ConcurrentHashMap<>();
  private final List<Runnable> closing = new CopyOnWriteArrayList<>();
  private volatile Connector home;
  private volatile boolean isClosed;

  // On the event loop.
  private final EndpointsCore endpoints;
  private Optional<CompletableFuture<Connection>> moving = Optional.empty();

  /** Without a connection yet; closes the place with the connections. */
  public Nodes(LoadedConfig config, ClientPort port) {
    this.config = config;
    this.port = port;
    this.loop = port.place().loop();
    this.ticker = port.ticker();
    this.endpoints = new EndpointsCore(config().endpoints(), port.chance().nextDouble());
  }

  /** The outside world of the client. */
  public ClientPort port() {
    return port;
  }

  /** The event loop of all connections. */
  public EventLoop loop() {
    return loop;
  }

  /**
   * Runs the task on the event loop after a pause, or never when the client is closed before.
   *
   * @throws RejectedExecutionException when the client is closed
   */
  public void later(Runnable task, long pauseNanos) {
    port.place().schedule(task, pauseNanos);
  }

  /** The client's configuration. */
  public ClientConfig config() {
    return config.config();
  }

  /**
   * The open connection to {@code node}, or to the home if absent; null when there is none at the
   * moment.
   */
  public Connection openConnection(Optional<Endpoint> node) {
    Connector connector = node.isPresent() ? connectors.get(node.get()) : home;
    return connector == null || isClosed ? null : connector.openConnection();
  }

  /**
   * Returns the open connection to {@code node}, or to the home if absent; opens a new connection
   * if needed. Fails with a {@link ConnectionException} when the server cannot be reached, and with
   * the server's refusal when the server turns the client away; the next call tries again.
   */
  public CompletableFuture<Connection> connection(Optional<Endpoint> node) {
    Connection open = openConnection(node);
    if (open != null) {
      return CompletableFuture.completedFuture(open);
    }
    CompletableFuture<Connection> answer = new CompletableFuture<>();
    onLoop(
        () -> pass(node.isPresent() ? at(node.get()) : anywhere(), answer),
        () -> answer.completeExceptionally(Connector.closed()));
    return answer;
  }

  private static void pass(CompletableFuture<Connection> from, CompletableFuture<Connection> to) {
    var unused =
        from.whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                to.complete(connection);
              } else {
                to.completeExceptionally(Caller.unwrap(failure));
              }
            });
  }

  private CompletableFuture<Connection> at(Endpoint endpoint) {
    if (isClosed) {
      return CompletableFuture.failedFuture(Connector.closed());
    }
    Connector known = connectors.get(endpoint);
    if (known == null) {
      if (connectors.size() >= CONNECTIONS_MAX && !forgetOldest()) {
        return CompletableFuture.failedFuture(
            new ConnectionException(
                CONNECTIONS_MAX + " connections are in use, which is the most", true, null));
      }
      if (connectors.isEmpty()) {
        lookForIdleLater();
      }
      known = new Connector(config, endpoint, port);
      connectors.put(endpoint, known);
    }
    return known.connection();
  }

  private boolean forgetOldest() {
    Optional<Connector> oldest =
        connectors.values().stream()
            .filter(connector -> connector != home && connector.isIdle())
            .min(Comparator.comparingLong(c -> c.usedNanos() - ticker.nanos()));
    oldest.ifPresent(
        connector -> {
          connectors.remove(connector.endpoint());
          connector.end();
        });
    return oldest.isPresent();
  }

  /**
   * The connection to the home. Without an open one, tries each endpoint once, one after the other;
   * the first that answers is the new home.
   */
  private CompletableFuture<Connection> anywhere() {
    Connection open = openConnection(Optional.empty());
    if (open != null) {
      return CompletableFuture.completedFuture(open);
    }
    if (moving.isPresent()) {
      return moving.get();
    }
    if (home != null) {
      endpoints.leave(home.endpoint());
    }
    CompletableFuture<Connection> found = new CompletableFuture<>();
    moving = Optional.of(found);
    tryNext(inTurn(), 0, found); // Which may end at once, and with it the move.
    return found;
  }

  /** All endpoints; recently failed ones come last, because they may be in a pause. */
  private List<Endpoint> inTurn() {
    return endpoints.inTurn().stream()
        .sorted(
            Comparator.comparing(
                endpoint ->
                    connectors.containsKey(endpoint) && connectors.get(endpoint).isPausing()))
        .toList();
  }

  private void tryNext(List<Endpoint> turn, int index, CompletableFuture<Connection> found) {
    Endpoint endpoint = turn.get(index);
    var unused =
        at(endpoint)
            .whenComplete(
                (connection, failure) -> {
                  if (failure == null) {
                    home = connectors.get(endpoint);
                    moving = Optional.empty();
                    found.complete(connection);
                    return;
                  }
                  endpoints.unreachable(endpoint);
                  if (index + 1 < turn.size() && !isClosed) {
                    tryNext(turn, index + 1, found);
                  } else {
                    moving = Optional.empty();
                    found.completeExceptionally(Caller.unwrap(failure));
                  }
                });
  }

  /** Adds an endpoint of the service. */
  public void learn(Endpoint endpoint) {
    onLoop(() -> endpoints.learn(endpoint), () -> {});
  }

  /** Looks for a new home if {@code connection} is the home's. On the event loop. */
  void leaveHome(Connection connection) {
    if (home != null && home.isCurrent(connection)) {
      avoid(home.endpoint());
    }
  }

  /** Looks for a new home, if there is another node. On the event loop. */
  public void leaveHome() {
    if (home != null) {
      avoid(home.endpoint());
    }
  }

  /**
   * Looks for a new home if {@code node} is the home, because its word on other nodes cannot be
   * relied upon. On the event loop.
   */
  public void avoid(Endpoint node) {
    if (home != null && home.endpoint().equals(node) && moving.isEmpty()) {
      endpoints.leave(node);
      if (!endpoints.inTurn().get(0).equals(node)) {
        home = null;
      }
    }
  }

  private void onLoop(Runnable task, Runnable refused) {
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      refused.run();
    }
  }

  private void lookForIdleLater() {
    try {
      later(
          () -> {
            closeIdle();
            lookForIdleLater();
          },
          IDLE_NANOS / 2);
    } catch (RejectedExecutionException e) {
      // The client is closed, and all connections with it.
    }
  }

  /** Closes idle connections, except to the home. On the event loop. */
  void closeIdle() {
    for (Connector connector : connectors.values()) {
      boolean isOld = ticker.nanos() - connector.usedNanos() >= IDLE_NANOS;
      if (isOld && connector != home && connector.isIdle()) {
        connector.rest();
      }
    }
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Runs the task on the event loop when the client closes, to end calls that wait. */
  void onClose(Runnable task) {
    closing.add(task);
  }

  /** Closes the connections; from now on every request fails. Idempotent. */
  @Override
  public void close() {
    isClosed = true;
    try {
      var ended = loop.submit(this::end);
      if (!EventLoops.isCallbackThread()) {
        ended.awaitUninterruptibly(CLOSE_MS_MAX);
      }
    } catch (RejectedExecutionException e) {
      // The loop has ended, and all connections with it.
    }
    port.place().close();
  }

  private void end() {
    connectors.values().forEach(Connector::end);
    closing.forEach(Runnable::run);
  }
}
