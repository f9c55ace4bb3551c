package io.tunnel.sdk.write;

import io.tunnel.codec.SessionProof;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Ticker;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The engines of one client. An engine is registered here before its first row, and no engine is
 * opened once closing has begun. So closing ends every row, and the event loop outlives every wait.
 * Thread-safe.
 *
 * <p>Two locks, in this order: {@link #opening} is held while a partition map is read, and closing
 * the connections ends the read; this object's lock is never held while a thread waits. The event
 * loop brings the map, so no callback thread may wait for {@link #opening}.
 */
public final class WriteEngines implements AutoCloseable {

  private final Nodes nodes;
  private final Ticker ticker;
  private final TableWriterConfig sharedConfig;

  /** Held while a shared engine is opened, so that a table never has two. */
  private final Object opening = new Object();

  /** Engines that all calls of the client share. */
  private final Map<String, WriteEngine> byTable = new ConcurrentHashMap<>();

  // Guarded by this.
  private final Set<WriteEngine> open = new LinkedHashSet<>();
  private boolean isClosed;

  /**
   * Without an engine yet.
   *
   * @param sharedConfig the configuration of the engines that all calls share
   */
  public WriteEngines(Nodes nodes, Ticker ticker, TableWriterConfig sharedConfig) {
    this.nodes = nodes;
    this.ticker = ticker;
    this.sharedConfig = sharedConfig;
  }

  /**
   * The engine that all calls about a table share; the first call reads the partition map.
   *
   * @throws ConnectionException when the client is closed, or the map cannot be read
   * @throws IllegalStateException on a callback thread, when the map has not been read yet
   */
  public WriteEngine shared(String table, Function<String, PartitionMaps> maps) {
    WriteEngine known = byTable.get(table);
    if (known != null) {
      return known;
    }
    EventLoops.requireMayBlock("the first write to table '" + table + "'");
    synchronized (opening) {
      WriteEngine opened = byTable.get(table);
      if (opened == null) {
        opened = open(maps.apply(table), sharedConfig);
        byTable.put(table, opened);
      }
      return opened;
    }
  }

  /**
   * Opens an engine for one writer, until {@link #forget}.
   *
   * @throws ConnectionException when the client is closed, or the map cannot be read
   */
  public WriteEngine open(PartitionMaps maps, TableWriterConfig config) {
    return Caller.await(opening(maps, config));
  }

  /** As {@link #open} without waiting; fails with its exceptions. */
  public CompletableFuture<WriteEngine> opening(PartitionMaps maps, TableWriterConfig config) {
    return opening(maps, config, Optional.empty());
  }

  /**
   * Opens an engine that binds all rows to a session, until {@link #forget}. Fails with a {@link
   * ConnectionException} when the client is closed, or the map cannot be read.
   */
  public CompletableFuture<WriteEngine> openingBound(PartitionMaps maps, SessionProof session) {
    return opening(maps, sharedConfig, Optional.of(session));
  }

  private CompletableFuture<WriteEngine> opening(
      PartitionMaps maps, TableWriterConfig config, Optional<SessionProof> session) {
    requireOpen();
    return WriteEngine.opening(nodes, ticker, maps, config, session).thenApply(this::registered);
  }

  private synchronized WriteEngine registered(WriteEngine engine) {
    requireOpen();
    open.add(engine);
    return engine;
  }

  private synchronized void requireOpen() {
    if (isClosed) {
      throw new ConnectionException("the client is closed", true, null);
    }
  }

  /** Removes an engine that is closed. */
  public synchronized void forget(WriteEngine engine) {
    open.remove(engine);
  }

  /** Closes all engines, and opens no more. Idempotent. */
  @Override
  public void close() {
    List<WriteEngine> left;
    synchronized (this) {
      isClosed = true;
      left = List.copyOf(open);
    }
    left.forEach(WriteEngine::close);
  }
}
