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
 * The connections of one client: one to each node that it has something to say to, and one of them,
 * its home, for what any node can be asked. All live on one event loop. Thread-safe.
 */
public final class Nodes implements AutoCloseable {

  /** Nodes that a client is connected to at most. */
  static final int CONNECTIONS_MAX = 256;

  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long CLOSE_MS_MAX = 2_000;

  private final LoadedConfig config;
  private final EventLoops.Place place;
  private final EventLoop loop;
  private final Ticker ticker;
  private final Map<Endpoint, Connector> connectors = new ConcurrentHashMap<>();
  private final List<Runnable> closing = new CopyOnWriteArrayList<>();
  private volatile Connector home;
  private volatile boolean isClosed;

  // On the event loop.
  private final EndpointsCore endpoints;
  private Optional<CompletableFuture<Connection>> moving = Optional.empty();

  /** Connected to nothing yet. */
  public Nodes(LoadedConfig config, EventLoops loops, Ticker ticker) {
    this.config = config;
    this.place = loops.nextPlace();
    this.loop = place.loop();
    this.ticker = ticker;
    this.endpoints = new EndpointsCore(config().endpoints(), SystemClock.jitter().nextDouble());
  }

  /** The event loop of all connections. */
  public EventLoop loop() {
    return loop;
  }

  /** How to reach the service. */
  public ClientConfig config() {
    return config.config();
  }

  /** An open connection to that node, or to any; null when there is none at the moment. */
  public Connection openConnection(Optional<Endpoint> node) {
    Connector connector = node.isPresent() ? connectors.get(node.get()) : home;
    return connector == null || isClosed ? null : connector.openConnection();
  }

  /**
   * An open connection to that node, or to any: the one there is, or a new one. Fails with a {@link
   * ConnectionException} when it cannot be opened, and with the server's refusal when it does not
   * want us; asking again tries again.
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
      known = new Connector(config, endpoint, place, ticker);
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

  /** At home, or where a new one is found: each endpoint is tried once, one after the other. */
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

  /** Those that failed lately come last: they may be waited for. */
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

  /** The service can be reached there too. */
  public void learn(Endpoint endpoint) {
    onLoop(() -> endpoints.learn(endpoint), () -> {});
  }

  /** If that is the connection home, another node is asked next. On the event loop. */
  void leaveHome(Connection connection) {
    if (home != null && home.isCurrent(connection)) {
      avoid(home.endpoint());
    }
  }

  /** Another node is asked next what any can be asked, if there is one. On the event loop. */
  public void leaveHome() {
    if (home != null) {
      avoid(home.endpoint());
    }
  }

  /**
   * What that node says of others is not to be relied upon: if it is the home, another one is. On
   * the event loop.
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
    var unused =
        loop.schedule(
            () -> {
              closeIdle();
              if (!isClosed) {
                lookForIdleLater();
              }
            },
            IDLE_NANOS / 2,
            TimeUnit.NANOSECONDS);
  }

  /** Closes what nobody has used for long, but for the home. On the event loop. */
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

  /** Runs the task on the event loop when the client is closed, to end what waits for nothing. */
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
      // The loop has ended, and everything on it.
    }
  }

  private void end() {
    connectors.values().forEach(Connector::end);
    closing.forEach(Runnable::run);
  }
}
