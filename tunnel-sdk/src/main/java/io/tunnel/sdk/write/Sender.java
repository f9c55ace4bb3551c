package io.tunnel.sdk.write;

import io.netty.channel.EventLoop;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.write.LaneCore.Verdict;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteResult;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heads of the lanes, and gives each batch its outcome. Any thread may send; answers are
 * handled on the event loop. Whatever throws on the way, the rows of the batch get an outcome and
 * the lane is free: nobody waits for ever.
 */
final class Sender {

  private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

  private final WriteEngine engine;
  private final Nodes nodes;
  private final EventLoop loop;
  private final Lane.Settings settings;
  private final Retries retries;
  private final WriterIds ids;

  /** Ends the waits of heads for an id, each with a reason. */
  private final Set<Consumer<Throwable>> waiting = ConcurrentHashMap.newKeySet();

  /** No batch is sent any more. */
  private volatile boolean isAbandoned;

  /** Whether a batch that was not sent, or has no answer, is the last. */
  private volatile boolean isStoppedAtFailure;

  /** A batch was sent to a node that leads a partition, as in a cluster: others can lead it. */
  private volatile boolean isOfCluster;

  Sender(
      WriteEngine engine,
      Nodes nodes,
      PartitionMaps maps,
      Lane.Settings settings,
      Optional<Durability> durability,
      WriterIds ids) {
    this.engine = engine;
    this.nodes = nodes;
    this.loop = nodes.loop();
    this.settings = settings;
    this.retries = new Retries(engine, this, nodes, maps, settings, durability);
    this.ids = ids;
  }

  /** Sends no more batches; batches that wait for a retry, a partition map or an id end now. */
  void abandon() {
    isAbandoned = true;
    onLoop(
        () -> {
          retries.abandon(abandoned());
          waiting.forEach(wait -> wait.accept(abandoned()));
          engine.routes().lanes().forEach(lane -> lane.resend().ifPresent(b -> send(lane, b)));
        });
  }

  /** From now on, sends nothing after a batch that was not sent, or has no answer. */
  void stopAtFailure() {
    isStoppedAtFailure = true;
  }

  private static ConnectionException abandoned() {
    return new ConnectionException("the writer was closed", true, null);
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

  /** Sends the head of a lane, as soon as the lane has an id where the service has ids. */
  void send(Lane lane, Batch batch) {
    try {
      if (isAbandoned) {
        unsent(lane, batch, abandoned());
      } else if (!batch.isInDoubt() && lane.isLate(batch)) {
        unsent(lane, batch, waitedTooLong());
      } else if (lane.hasWriter(batch)) {
        transmit(lane, batch, Optional.empty());
      } else {
        sendWithId(lane, batch);
      }
    } catch (Throwable e) {
      unsent(lane, batch, new ConnectionException("cannot send rows: " + e, true, e));
    }
  }

  private void sendWithId(Lane lane, Batch batch) {
    CompletableFuture<Optional<Bytes>> id = ids.id();
    if (id.isDone() && !id.isCompletedExceptionally()) {
      transmit(lane, batch, id.join());
      return;
    }
    Consumer<Throwable> wait = id::completeExceptionally;
    waiting.add(wait);
    ConnectionException late = new ConnectionException("no server gave an id in time", true, null);
    later(() -> wait.accept(late), WriterIds.WAIT_NANOS_MAX);
    var unused =
        id.whenComplete(
            (token, failure) -> {
              waiting.remove(wait);
              if (failure == null) {
                // The lane takes the id itself, which is there from now on.
                onLoop(() -> send(lane, batch));
              } else {
                unsent(lane, batch, withoutId(Caller.unwrap(failure)));
              }
            });
  }

  private static ConnectionException waitedTooLong() {
    return new ConnectionException(
        "the rows waited for longer than writeRetryDeadline behind rows that could not be sent",
        true,
        null);
  }

  private void unsent(Lane lane, Batch batch, Throwable failure) {
    // On a detour through the loop: otherwise a long queue would overflow the stack.
    onLoop(() -> completed(lane, batch, null, failure));
  }

  /** The failure of a batch that was not sent, because nobody gave its writer an id. */
  private static Throwable withoutId(Throwable failure) {
    boolean isLasting =
        failure instanceof RefusedException refused
            ? LaneCore.isOfBatch(refused.code())
            : failure instanceof ConnectionException lost && lost.isLasting();
    return isLasting
        ? failure
        : new ConnectionException(
            "the writer got no id, so the rows were not sent: " + failure.getMessage(),
            true,
            failure);
  }

  private void transmit(Lane lane, Batch batch, Optional<Bytes> token) {
    long sentNanos = settings.ticker().nanos();
    lane.number(batch, token);
    ByteBuffer payload = batch.payload();
    Optional<Endpoint> leader = lane.leader();
    if (leader.isPresent()) {
      isOfCluster = true;
    }
    Connection open = nodes.openConnection(leader);
    CompletableFuture<Frame> answer;
    try {
      answer =
          open != null
              ? open.request(Operation.WRITE, lane.prefix(), payload)
              : nodes
                  .connection(leader)
                  .thenCompose(opened -> opened.request(Operation.WRITE, lane.prefix(), payload));
    } catch (Throwable e) {
      // Nobody knows whether the request is under way.
      answer = CompletableFuture.failedFuture(e);
    }
    settings.meter().batchSent(batch.rowCount(), batch.encodedBytes());
    // An immediate failure takes a detour through the loop: otherwise a long queue would overflow
    // the stack.
    boolean isEarly = answer.isDone();
    var unused =
        answer.whenComplete(
            (frame, failure) -> {
              Runnable task =
                  () -> {
                    over(sentNanos);
                    completed(lane, batch, frame, Caller.unwrap(failure));
                  };
              if (!isEarly && loop.inEventLoop()) {
                task.run();
              } else {
                onLoop(task);
              }
            });
  }

  private void over(long sentNanos) {
    try {
      settings.meter().batchOver(settings.ticker().nanos() - sentNanos);
    } catch (Throwable e) {
      LOG.warn("cannot measure how long a batch took; the batch is settled", e);
    }
  }

  /** Sends the head again that waits for the end of a pause, or for a map. On the event loop. */
  void resend(Lane lane) {
    guarded(lane, () -> lane.resend().ifPresent(batch -> send(lane, batch)));
  }

  /** Runs a step of the head of a lane; a step that throws ends the head. On the event loop. */
  void guarded(Lane lane, Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      lane.head().ifPresent(batch -> drop(lane, batch, e));
    }
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
    try {
      if (failure == null) {
        answered(lane, batch, frame);
      } else {
        failed(lane, batch, failure);
      }
    } catch (Throwable e) {
      drop(lane, batch, e);
    }
    if (lane.isClosed()) {
      retries.handOverIfQuiet();
    }
  }

  private void answered(Lane lane, Batch batch, Frame frame) {
    WriteResult result;
    int told;
    List<RowResult> results;
    try {
      result = Outcomes.read(frame.payload(), batch);
      told = Outcomes.toldRows(result, batch);
      results = Outcomes.of(batch, told, lane.partition(), result);
    } catch (RuntimeException e) {
      failed(lane, batch, e);
      return;
    }
    if (result.appliedRows() > 0) {
      lane.applied(batch);
    }
    int rejected = (int) result.rejections().stream().filter(r -> r.rowIndex() < told).count();
    settings.meter().rows(Outcome.APPLIED, told - rejected);
    settings.meter().rows(Outcome.REJECTED, rejected);
    if (told == batch.rowCount()) {
      batch.settle();
      try {
        act(lane, lane.answered());
      } finally {
        finish(lane, batch, () -> Outcomes.tell(batch, results));
      }
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
    batch.settle();
    lane.tell(() -> Outcomes.tell(batch, results));
    try {
      failed(lane, rest, reason);
    } catch (Throwable e) {
      drop(lane, rest, e);
    }
  }

  /**
   * Ends a batch whose answer or failure could not be handled, because of an error of this program
   * or the lack of memory: nobody waits for ever, and the lane is free.
   */
  private void drop(Lane lane, Batch batch, Throwable error) {
    LOG.error(
        "cannot settle {} rows of partition {}; they are in doubt, unless told before",
        batch.rowCount(),
        lane.partition(),
        error);
    lane.drop(batch);
    fail(lane, batch, Outcome.IN_DOUBT, error);
  }

  private void failed(Lane lane, Batch batch, Throwable failure) {
    Verdict verdict = lane.failed(kindOf(lane, batch, failure), batch);
    switch (verdict) {
      case RETRY -> retries.later(lane, failure);
      case REROUTE -> retries.misrouted(lane);
      case SPLIT -> act(lane, lane.proceed());
      case GIVE_UP -> {
        retries.leave(lane, failure);
        failedForGood();
        fail(lane, batch, Outcome.NOT_SENT, failure);
      }
      case DOUBT -> {
        if (failure instanceof ConnectionException) {
          retries.leave(lane, failure);
          failedForGood();
        }
        fail(lane, batch, Outcome.IN_DOUBT, failure);
      }
      case REJECT -> fail(lane, batch, Outcome.REJECTED, failure);
    }
  }

  /** Before the lane proceeds: then no row after the failed ones is applied. */
  private void failedForGood() {
    if (isStoppedAtFailure && !isAbandoned) {
      abandon();
    }
  }

  /** Tells the rows of a batch that has left its lane their failure, and has the lane proceed. */
  void fail(Lane lane, Batch batch, Outcome outcome, Throwable failure) {
    boolean isFirst = batch.settle();
    try {
      act(lane, lane.proceed());
    } finally {
      if (isFirst) {
        settings.meter().rows(outcome, batch.rowCount());
        RowResult result = Outcomes.failure(outcome, lane.partition(), failure);
        finish(lane, batch, () -> Outcomes.tellAll(batch, result));
      }
    }
  }

  private void finish(Lane lane, Batch batch, Runnable telling) {
    lane.tell(
        () -> {
          settings.budget().giveBack(batch.encodedBytes());
          telling.run();
          batch.done().complete(null);
        });
  }

  private LaneCore.Failure kindOf(Lane lane, Batch batch, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      if (refused.code() == ErrorCode.WRITER_ENDED) {
        lane.ended(batch, refused.writerDateMicros());
        if (!batch.isInDoubt()) {
          // Nothing was applied: the batch is sent again under the next number.
          return isAbandoned
              ? new LaneCore.Failure.Abandoned()
              : new LaneCore.Failure.Refused(ErrorCode.BUSY);
        }
      }
      boolean isMisrouted =
          refused.code() == ErrorCode.WRONG_PARTITION
              || refused.code() == ErrorCode.TABLE_NOT_FOUND;
      if (isAbandoned && (refused.retriable() || isMisrouted)) {
        return new LaneCore.Failure.Abandoned();
      }
      boolean isUnknown =
          refused.code() == ErrorCode.OUTCOME_UNKNOWN
              || (refused.code() == ErrorCode.STORAGE_FAILED && isOfCluster);
      if (isUnknown && batch.writer().isPresent()) {
        // The node does not know what the log has; the next leader will. The node may be one that
        // was asked while no leader was known.
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
}
