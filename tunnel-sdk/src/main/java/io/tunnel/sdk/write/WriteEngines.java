package io.tunnel.sdk.write;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Ticker;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The engines of one client. Each that is given out is known here before it has a row, and none is
 * given out once the closing has begun: so the closing ends every row, and the event loop outlives
 * all that waits on it. Thread-safe.
 *
 * <p>Two locks, in this order: {@link #opening} is held while a partition map is read, which the
 * closing of the connections ends; this object's lock never while anything waits. The event loop
 * brings the map, so no callback thread may wait for {@link #opening}.
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
   * No engine yet.
   *
   * @param sharedConfig how the engine of a table collects rows that all calls share
   */
  public WriteEngines(Nodes nodes, Ticker ticker, TableWriterConfig sharedConfig) {
    this.nodes = nodes;
    this.ticker = ticker;
    this.sharedConfig = sharedConfig;
  }

  /**
   * The engine that all calls about a table share; its partition map is read the first time.
   *
   * @throws ConnectionException when the client is closed, or the map cannot be read
   * @throws IllegalStateException on a callback thread, when the map is not read yet
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
   * An engine of its own, until it is {@linkplain #forget forgotten}.
   *
   * @throws ConnectionException when the client is closed, or the map cannot be read
   */
  public WriteEngine open(PartitionMaps maps, TableWriterConfig config) {
    requireOpen();
    WriteEngine engine = WriteEngine.open(nodes, ticker, maps, config);
    synchronized (this) {
      requireOpen();
      open.add(engine);
    }
    return engine;
  }

  private synchronized void requireOpen() {
    if (isClosed) {
      throw new ConnectionException("the client is closed", true, null);
    }
  }

  /** That engine is closed. */
  public synchronized void forget(WriteEngine engine) {
    open.remove(engine);
  }

  /** Opens no engine any more, and closes those that are open. Idempotent. */
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
