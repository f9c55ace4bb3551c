package io.tunnel.sdk.write;

import io.netty.channel.EventLoop;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.write.LaneCore.Verdict;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/**
 * Writes rows of one table: collects them per partition on the callers' threads, and moves one
 * batch per partition at a time through the connection, on its event loop.
 */
public final class WriteEngine implements AutoCloseable {

  private final Nodes nodes;
  private final EventLoop loop;
  private final Lane.Settings settings;
  private final Retries retries;
  private final WriterIds ids;

  /** Held while rows move from the lanes of one partition map to the lanes of the next. */
  private final Object handover = new Object();

  /** Batches whose rows have moved to other partitions, until all rows have outcomes. */
  private final Set<Batch> moved = ConcurrentHashMap.newKeySet();

  private volatile Routes routes;
  private volatile boolean isClosed;

  /** No batch is sent any more. */
  private volatile boolean isAbandoned;

  private WriteEngine(
      Nodes nodes, Lane.Settings settings, PartitionMaps maps, Optional<Durability> durability) {
    this.nodes = nodes;
    this.loop = nodes.loop();
    this.settings = settings;
    this.retries = new Retries(this, nodes, maps, settings, durability);
    TableDescription map = Caller.await(maps.read());
    this.routes = retries.routes(map, List.of());
    this.ids = new WriterIds(maps, map.tableId(), settings.ticker());
    ids.open();
  }

  /**
   * Opens an engine for one table; waits for the partition map, which {@code maps} reads.
   *
   * @param session the session that all rows are bound to
   */
  public static WriteEngine open(
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
    return new WriteEngine(nodes, settings, maps, config.durability());
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
    act(lane, added);
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
      lane.hurry().ifPresent(batch -> send(lane, batch));
    }
  }

  /**
   * Returns when the callbacks of all rows added before have returned.
   *
   * @throws IllegalStateException on a callback thread
   */
  public void flush() {
    EventLoops.requireMayBlock("flush");
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    synchronized (handover) {
      moved.forEach(batch -> ends.add(batch.done()));
      for (Lane lane : routes.lanes()) {
        ends.addAll(lane.ends());
      }
    }
    hurry();
    ends.forEach(CompletableFuture::join);
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

  /** Sends no more batches, and closes when the batches in flight have outcomes. Idempotent. */
  public void abandon() {
    isAbandoned = true;
    // Batches that wait for a retry or a partition map end now.
    onLoop(
        () -> {
          retries.abandon(abandoned());
          routes.lanes().forEach(lane -> lane.resend().ifPresent(b -> send(lane, b)));
        });
    close();
  }

  private static ConnectionException abandoned() {
    return new ConnectionException("the writer was closed", true, null);
  }

  /** Bytes of rows without an outcome. */
  public long bufferedBytes() {
    return settings.budget().used();
  }

  void act(Lane lane, Lane.Step added) {
    added.toSend().ifPresent(batch -> send(lane, batch));
    added.timerNanos().ifPresent(nanos -> later(() -> act(lane, lane.lingered()), nanos));
  }

  /** Runs a task on the event loop after a pause. */
  void later(Runnable task, long pauseNanos) {
    try {
      nodes.later(task, pauseNanos);
    } catch (RejectedExecutionException e) {
      // The client is closed. It closes only when every row has its outcome, so no row
      // waits for the task.
    }
  }

  void send(Lane lane, Batch batch) {
    if (isAbandoned) {
      ConnectionException reason = abandoned();
      onLoop(() -> completed(lane, batch, null, reason));
      return;
    }
    lane.number(batch, ids.token());
    Optional<Endpoint> leader = lane.leader();
    Connection open = nodes.openConnection(leader);
    CompletableFuture<Frame> answer =
        open != null
            ? write(open, lane, batch)
            : nodes.connection(leader).thenCompose(opened -> write(opened, lane, batch));
    settings.meter().batchSent(batch.rowCount(), batch.encodedBytes());
    long sentNanos = settings.ticker().nanos();
    // An immediate failure takes a detour through the loop: otherwise a long queue would overflow
    // the stack.
    boolean isEarly = answer.isDone();
    var unused =
        answer.whenComplete(
            (frame, failure) -> {
              settings.meter().batchOver(settings.ticker().nanos() - sentNanos);
              Runnable task = () -> completed(lane, batch, frame, Caller.unwrap(failure));
              if (!isEarly && loop.inEventLoop()) {
                task.run();
              } else {
                onLoop(task);
              }
            });
  }

  private static CompletableFuture<Frame> write(Connection connection, Lane lane, Batch batch) {
    return connection.request(Operation.WRITE, lane.prefix(), batch.payload());
  }

  void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The loop has ended: the task cannot interfere with another task.
      task.run();
    }
  }

  private void completed(Lane lane, Batch batch, Frame frame, Throwable failure) {
    if (failure == null) {
      try {
        WriteResult result = Outcomes.read(frame.payload(), batch);
        answered(lane, batch, result);
      } catch (MalformedException e) {
        failed(lane, batch, e);
      }
    } else {
      failed(lane, batch, failure);
    }
    if (lane.isClosed()) {
      retries.handOverIfQuiet();
    }
  }

  private void answered(Lane lane, Batch batch, WriteResult result) {
    int told = Outcomes.toldRows(result, batch);
    if (result.appliedRows() > 0) {
      lane.applied(batch);
    }
    int rejected = (int) result.rejections().stream().filter(r -> r.rowIndex() < told).count();
    settings.meter().rows(Outcome.APPLIED, told - rejected);
    settings.meter().rows(Outcome.REJECTED, rejected);
    if (told == batch.rowCount()) {
      act(lane, lane.answered());
      finish(lane, batch, () -> Outcomes.tell(batch, told, lane.partition(), result));
      return;
    }
    List<WriteResult.Rejection> rejections = result.rejections();
    RefusedException reason =
        new RefusedException(
            rejections.get(rejections.size() - 1).code(),
            "the server has written " + told + " of " + batch.rowCount() + " rows");
    if (told == 0) {
      failed(lane, batch, reason);
      return;
    }
    Batch rest = lane.keep(batch, told);
    lane.tell(() -> Outcomes.tell(batch, told, lane.partition(), result));
    failed(lane, rest, reason);
  }

  private void failed(Lane lane, Batch batch, Throwable failure) {
    Verdict verdict = lane.failed(kindOf(lane, batch, failure), batch);
    switch (verdict) {
      case RETRY -> retries.later(lane, failure);
      case REROUTE -> retries.misrouted(lane);
      case SPLIT -> act(lane, lane.proceed());
      case GIVE_UP -> {
        retries.leave(lane, failure);
        fail(lane, batch, Outcome.NOT_SENT, failure);
      }
      case DOUBT -> {
        if (failure instanceof ConnectionException) {
          retries.leave(lane, failure);
        }
        fail(lane, batch, Outcome.IN_DOUBT, failure);
      }
      case REJECT -> fail(lane, batch, Outcome.REJECTED, failure);
    }
  }

  /** Tells the rows of a batch that has left its lane their failure, and has the lane proceed. */
  void fail(Lane lane, Batch batch, Outcome outcome, Throwable failure) {
    RowResult result = Outcomes.failure(outcome, lane.partition(), failure);
    settings.meter().rows(outcome, batch.rowCount());
    act(lane, lane.proceed());
    finish(lane, batch, () -> Outcomes.tellAll(batch, result));
  }

  private void finish(Lane lane, Batch batch, Runnable telling) {
    lane.tell(
        () -> {
          settings.budget().giveBack(batch.encodedBytes());
          telling.run();
          batch.done().complete(null);
        });
  }

  /** Whether the server refused the number of a batch, and so applied no row of this attempt. */
  private boolean isOfNumber(Lane lane, Batch batch, RefusedException refused) {
    boolean isOfNumber =
        refused.code() == ErrorCode.WRITER_ENDED || refused.code() == ErrorCode.FEATURE_NOT_ENABLED;
    if (isOfNumber && batch.writer().isPresent()) {
      Bytes token = batch.writer().get().token();
      lane.ended(token);
      ids.ended(token, refused.code());
      return true;
    }
    return false;
  }

  private LaneCore.Failure kindOf(Lane lane, Batch batch, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      if (isOfNumber(lane, batch, refused) && !batch.isInDoubt() && !isAbandoned) {
        // Sent again, with the number of another writer or without one.
        return new LaneCore.Failure.Refused(ErrorCode.BUSY);
      }
      boolean isMisrouted =
          refused.code() == ErrorCode.WRONG_PARTITION
              || refused.code() == ErrorCode.TABLE_NOT_FOUND;
      if (isAbandoned && (refused.retriable() || isMisrouted)) {
        return new LaneCore.Failure.Abandoned();
      }
      boolean isOfNode = batch.writer().isPresent() && lane.leader().isPresent();
      if (refused.code() == ErrorCode.STORAGE_FAILED && isOfNode) {
        // The node does not know what the log has; the next leader will.
        return new LaneCore.Failure.Unanswered();
      }
      return new LaneCore.Failure.Refused(refused.code(), Retries.isSentOn(lane, failure));
    }
    if (failure instanceof ConnectionException lost && (lost.retriable() || lost.isLasting())) {
      return isAbandoned || lost.isLasting()
          ? new LaneCore.Failure.Abandoned()
          : new LaneCore.Failure.NotSent();
    }
    return new LaneCore.Failure.Unanswered();
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
