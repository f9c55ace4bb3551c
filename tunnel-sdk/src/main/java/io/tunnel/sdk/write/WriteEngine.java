package io.tunnel.sdk.write;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.Durability;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes rows of one table: collects them per partition on the callers' threads, and moves one
 * batch per partition at a time through the connection, on its event loop.
 */
public final class WriteEngine implements AutoCloseable {

  private final Lane.Settings settings;
  private final Sender sender;
  private final WriterIds ids;

  /** Held while rows move from the lanes of one partition map to the lanes of the next. */
  private final Object handover = new Object();

  /** Batches whose rows have moved to other partitions, until all rows have outcomes. */
  private final Set<Batch> moved = ConcurrentHashMap.newKeySet();

  private volatile Routes routes;
  private volatile boolean isClosed;

  private WriteEngine(
      Nodes nodes,
      Lane.Settings settings,
      PartitionMaps maps,
      Optional<Durability> durability,
      TableDescription map) {
    this.settings = settings;
    this.routes = Routes.of(map, durability, settings, List.of());
    this.ids = new WriterIds(maps, map.tableId(), settings.ticker());
    this.sender = new Sender(this, nodes, maps, settings, durability, ids);
  }

  /**
   * Opens an engine for one table: reads the partition map by {@code maps}, and waits a while for
   * the id of the writer. Fails when the map cannot be read.
   *
   * @param session the session that all rows are bound to
   */
  static CompletableFuture<WriteEngine> opening(
      Nodes nodes,
      Ticker ticker,
      PartitionMaps maps,
      TableWriterConfig config,
      Optional<SessionProof> session) {
    Lane.Settings settings =
        new Lane.Settings(
            config.batchBytesMax(),
            config.linger().toNanos(),
            nodes.config().writeRetryDeadline().toNanos(),
            new ByteBudget(config.bufferBytesMax()),
            ticker,
            nodes.config().meter(),
            session);
    return maps.read()
        .thenApply(map -> new WriteEngine(nodes, settings, maps, config.durability(), map))
        .thenCompose(
            engine -> {
              if (config.isStoppedByFailure()) {
                engine.sender.stopAtFailure();
              }
              return engine.withId();
            });
  }

  private CompletableFuture<WriteEngine> withId() {
    CompletableFuture<Void> settled = ids.settled();
    sender.later(() -> settled.complete(null), WriterIds.WAIT_NANOS_MAX);
    return settled.thenApply(known -> this);
  }

  /**
   * Adds a row; waits while the buffer is full.
   *
   * @throws IllegalArgumentException when the row can never be written
   * @throws IllegalStateException when the engine is closed, or a callback thread would have to
   *     wait
   */
  public void add(RowChange row, RowCallback callback) {
    settings.budget().awaitRoom(this::hurry);
    Lane.Step added;
    Lane lane;
    do {
      Routes seen = openRoutes();
      lane = seen.laneOf(row);
      added = lane.add(row, callback);
      awaitUnlessAdded(added, seen);
    } while (!added.wasAdded());
    sendAdded(lane, added);
  }

  /**
   * Adds rows all of which are applied, or none.
   *
   * @param callbacks for each row one, which is told once what became of the row
   * @throws IllegalArgumentException when the rows are none, are of several partitions, exceed the
   *     limits of an atomic batch, or can never be written; nothing was added then
   */
  public void addAtomic(List<RowChange> rows, List<RowCallback> callbacks) {
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("an atomic batch has at least one row");
    }
    settings.budget().awaitRoom(this::hurry);
    Lane.Step added;
    Lane lane;
    do {
      Routes seen = openRoutes();
      lane = seen.laneOfAll(rows);
      added = lane.addAtomic(rows, callbacks);
      awaitUnlessAdded(added, seen);
    } while (!added.wasAdded());
    sendAdded(lane, added);
  }

  private Routes openRoutes() {
    if (isClosed) {
      throw new IllegalStateException("the writer is closed");
    }
    return routes;
  }

  private void awaitUnlessAdded(Lane.Step added, Routes seen) {
    if (!added.wasAdded()) {
      awaitNewRoutes(seen);
    }
  }

  private void sendAdded(Lane lane, Lane.Step added) {
    sender.act(lane, added);
    if (settings.budget().hasWaiting() && settings.budget().isFull()) {
      hurry();
    }
  }

  private void awaitNewRoutes(Routes seen) {
    EventLoops.requireMayBlock("adding a row while the table's partitions change");
    boolean interrupted = false;
    synchronized (handover) {
      while (routes == seen && !isClosed) {
        try {
          handover.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends lingering batches. */
  public void hurry() {
    for (Lane lane : routes.lanes()) {
      lane.hurry().ifPresent(batch -> sender.send(lane, batch));
    }
  }

  /**
   * Returns when the callbacks of all rows added before have returned.
   *
   * @throws IllegalStateException on a callback thread
   */
  public void flush() {
    EventLoops.requireMayBlock("flush");
    flushing().join();
  }

  /** Completes when the callbacks of all rows added before have returned; never fails. */
  public CompletableFuture<Void> flushing() {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    synchronized (handover) {
      moved.forEach(batch -> ends.add(batch.done()));
      for (Lane lane : routes.lanes()) {
        ends.addAll(lane.ends());
      }
    }
    hurry();
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }

  /** Flushes, then refuses rows. Idempotent. */
  @Override
  public void close() {
    flush();
    synchronized (handover) {
      isClosed = true;
      routes.lanes().forEach(lane -> lane.move(Lane.Phase.ENDING));
      handover.notifyAll();
    }
    // For rows that other threads added while the first flush waited.
    flush();
  }

  /** Sends no more batches; does not wait. Idempotent. */
  public void giveUp() {
    sender.abandon();
  }

  /** Sends no more batches, and closes when the batches in flight have outcomes. Idempotent. */
  public void abandon() {
    giveUp();
    close();
  }

  /** Bytes of rows without an outcome. */
  public long bufferedBytes() {
    return settings.budget().used();
  }

  /** Has flushes wait for a batch whose rows move to other partitions. */
  void moves(Batch batch) {
    moved.add(batch);
    var unused = batch.done().whenComplete((done, failure) -> moved.remove(batch));
  }

  /** Runs {@code move}, which empties lanes of the old map into lanes of {@code next}. */
  void handOver(Routes next, Runnable move) {
    synchronized (handover) {
      move.run();
      routes = next;
      if (isClosed) {
        next.lanes().forEach(lane -> lane.move(Lane.Phase.ENDING));
      }
      handover.notifyAll();
    }
    hurry();
  }

  Routes routes() {
    return routes;
  }
}
