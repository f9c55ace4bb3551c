package io.tunnel.sdk.worker;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.delivery.DeliveryTaker;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.worker.channel.ChannelState;
import io.tunnel.sdk.worker.channel.Ending;
import io.tunnel.sdk.worker.channel.WorkerChannelCore;
import io.tunnel.sdk.worker.input.DeliveredRecords;
import io.tunnel.sdk.worker.input.Inputs;
import io.tunnel.sdk.worker.input.Retrying;
import io.tunnel.sdk.worker.input.RowKeys;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.FailureControl.RetryingChannel;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One holding of one channel: carries out the decisions of its {@link WorkerChannelCore}. Runs on
 * the worker's thread; only the methods of the processor run on other threads.
 *
 * <p>Longer than most files, because all decisions about a channel become calls here.
 */
final class ChannelRunner implements ChannelTurns.Holding, DeliveryTaker {

  private final Assignment assignment;
  private final List<PrimaryKeySchema> schema;
  private final WorkerSession session;
  private final ChannelTurns<ChannelRunner> turns;
  private final WorkerRuntime runtime;
  private final WorkerChannelCore core;
  private final ProcessorCalls calls;
  private final AwaitedCheckpoints awaited = new AwaitedCheckpoints();
  private final ProcessorMaking making;
  private final InputRun inputs;
  private final ManualCheckpointer checkpointer;
  private final RowKeys keys;
  private final Feed feed;
  private final Deque<Delivery> waiting = new ArrayDeque<>();
  private IChannelProcessor processor;
  private Throwable stopReason = new IllegalStateException("stopped");
  private boolean checkpointTimerIsSet;
  private volatile ChannelProgress progress;

  /** True when the worker has lost the channel: calls that have not begun are skipped. */
  private volatile boolean isCutOff;

  ChannelRunner(
      Assignment assignment,
      List<PrimaryKeySchema> schema,
      WorkerSession session,
      ChannelTurns<ChannelRunner> turns,
      WorkerRuntime runtime) {
    this.assignment = assignment;
    this.schema = schema;
    this.session = session;
    this.turns = turns;
    this.runtime = runtime;
    this.core = new WorkerChannelCore(runtime.settings().channel(), assignment.checkpointed());
    this.calls = new ProcessorCalls(runtime, assignment);
    this.making = new ProcessorMaking(runtime, core, calls, this);
    this.checkpointer = new ManualCheckpointer(this, runtime);
    this.keys = new RowKeys(assignment);
    this.inputs = new InputRun(assignment, runtime, core, keys, this);
    this.feed = new Feed(this, core, keys, session, runtime);
    this.progress = progressNow();
  }

  Assignment assignment() {
    return assignment;
  }

  @Override
  public String channelId() {
    return assignment.channelId();
  }

  Feed feed() {
    return feed;
  }

  /** For any thread. */
  ChannelProgress progress() {
    ChannelProgress now = progress;
    Optional<Retrying> retry = retry();
    return retry.isEmpty() ? now : now.retrying(retry.get().info(runtime.nowNanos()));
  }

  Ending ending() {
    return core.ending();
  }

  Throwable stopReason() {
    return stopReason;
  }

  /** True when the channel has a processor, which will be told of the end. */
  boolean wasOpened() {
    return processor != null;
  }

  @Override
  public void open() {
    if (core.state() == ChannelState.WAITING) {
      core.opening();
      making.make(checkpointer, channelId());
    }
  }

  /** The processor is made. */
  void made(IChannelProcessor made) {
    processor = made;
    runtime.notices().tell(l -> l.channelOpened(channelId(), assignment.epoch()));
    if (core.opened(runtime.nowNanos())) {
      turns.opened(this);
    }
    drive();
  }

  /** An attempt to make a processor failed; the core knows whether a retry follows. */
  void notMade(Throwable reason) {
    troubled("cannot make a processor", reason);
    stopReason = reason;
    drive();
  }

  @Override
  public void grant(int bytes) {
    if (core.state() == ChannelState.RUNNING) {
      core.granted(bytes);
      feed.granted();
    }
  }

  @Override
  public void attached(Optional<Long> incarnation) {
    feed.attached(incarnation);
  }

  @Override
  public void served() {
    feed.served();
  }

  @Override
  public void failed(Throwable reason) {
    feed.failed(reason);
  }

  @Override
  public void pauseOver() {
    feed.pauseOver();
  }

  @Override
  public void delivered(byte[] payload) {
    try {
      Delivery delivery = Delivery.decode(payload);
      if (delivery.epoch() != assignment.epoch()) {
        return;
      }
      int rows = DeliveredRecords.rowsOf(delivery);
      long last = delivery.batches().get(delivery.batches().size() - 1).lastPosition();
      if (core.delivered(delivery.firstPosition(), last, rows, payload.length)) {
        waiting.add(delivery);
        keys.received(delivery);
      }
      drive();
    } catch (MalformedException | IllegalStateException e) {
      stop(e);
    }
  }

  @Override
  public void settled(long position) {
    core.settled(position);
    drive();
  }

  @Override
  public void ended(long position) {
    feed.ended(position);
    try {
      core.endsAt(position);
      drive();
    } catch (IllegalStateException e) {
      stop(e);
    }
  }

  /** A refusal or a malformed delivery stops the channel. */
  void stop(Throwable reason) {
    troubled("stops", reason);
    stopReason = reason;
    end(Ending.STOPPED);
  }

  /** Ends the channel. */
  void end(Ending reason) {
    core.end(reason);
    making.over();
    inputs.ending();
    waiting.clear();
    if (!core.ending().isOurs()) {
      isCutOff = true;
      awaited.failAll(AwaitedCheckpoints.fenced(assignment));
    }
    drive();
  }

  /** Closes a broken channel, unless a callback still runs: the callback's return closes it. */
  void abandon() {
    if (!calls.areUnderWay()) {
      close();
    }
  }

  private void close() {
    isCutOff = true;
    awaited.failAll(AwaitedCheckpoints.fenced(assignment));
    feed.end();
    session.closed(this);
  }

  /** Carries out the next actions of the channel. */
  void drive() {
    while (true) {
      switch (core.next(runtime.nowNanos())) {
        case PROCESS -> process();
        case TELL ->
            calls.tell(
                processor,
                core.farewell(),
                this::told,
                troubledThen("processor failed at the end of the channel", this::told));
        case CHECKPOINT -> checkpoint();
        case STOP_PROCESSOR -> stopProcessor();
        case RELEASE -> giveBack(ChannelRequests.release(session.link(), assignment));
        case STOP_CHANNEL ->
            giveBack(ChannelRequests.stop(session.link(), assignment, stopReason, failedAt()));
        case CLOSE -> close();
        case WAIT -> {
          setCheckpointTimer();
          progress = progressNow();
          return;
        }
      }
    }
  }

  private void process() {
    int count = core.begin();
    List<Delivery> deliveries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      deliveries.add(waiting.remove());
    }
    keys.given(deliveries, core.given());
    inputs.begin(Inputs.of(assignment, deliveries, schema, core.isAtEnd()));
  }

  /** Calls the processor with an input that ends at the position {@code last}. */
  void call(ProcessRecordsInput input, int attempt, long last) {
    checkpointer.given(last);
    calls.process(processor, input, attempt, this::isCutOff, inputs);
  }

  /** The processor threw. */
  void threw(Throwable reason) {
    checkpointer.threw(core.processed());
    runtime.notices().noted("channel " + channelId() + ": the processor failed", reason);
    if (core.ending() == Ending.NONE) {
      stopReason = reason;
    }
  }

  /** The input is done, and its credit returns. */
  void processed(int bytes) {
    if (bytes > 0) {
      turns.processed(this, bytes);
    }
  }

  /** The retry of the channel for the server, while its processor fails. */
  Optional<RetryingChannel> retrying() {
    long now = runtime.nowNanos();
    return retry()
        .map(
            retry -> new RetryingChannel(assignment.handle(), assignment.epoch(), retry.wire(now)));
  }

  private Optional<Retrying> retry() {
    return inputs.retrying().or(making::retrying);
  }

  /** The change at which the processor failed last. */
  Optional<FailedChange> failedAt() {
    return inputs.failedAt();
  }

  private void checkpoint() {
    long begunNanos = runtime.nowNanos();
    long position = core.beginCheckpoint(begunNanos);
    Bytes key = keys.at(position);
    keys.forgetBefore(Math.min(position, core.checkpointed()));
    Checkpoint request = new Checkpoint(assignment.handle(), assignment.epoch(), position, key);
    var unused =
        ChannelRequests.store(session.link(), request, inputs.skips().upTo(position))
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(() -> checkpointed(position, begunNanos, failure)));
  }

  private void checkpointed(long position, long begunNanos, Throwable failure) {
    if (failure == null) {
      core.checkpointStored();
      inputs.skips().stored(position);
      runtime.counts().checkpointStored(runtime.nowNanos() - begunNanos);
      session.healthy();
      awaited.stored(position);
    } else {
      checkpointFailed(position, Caller.unwrap(failure));
    }
    drive();
  }

  private void checkpointFailed(long position, Throwable reason) {
    boolean mayRetry = ChannelRequests.mayRetry(reason);
    if (core.checkpointFailed(mayRetry)) {
      runtime.later(ChannelRequests.RETRY_NANOS, this::goOn);
    } else if (mayRetry && core.isLastCheckpointGivenUp()) {
      troubled("gave up storing the last checkpoint; its changes will be processed again", reason);
    } else if (mayRetry && position > core.given()) {
      // No later input asks for this checkpoint: the processor was never given the position.
      runtime.later(ChannelRequests.SETTLED_RETRY_NANOS, () -> settled(position));
    }
    awaited.failed(position, reason);
    refused(reason);
  }

  private void goOn() {
    core.endPauseOver();
    drive();
  }

  private void refused(Throwable reason) {
    if (reason instanceof RefusedException refusal && !refusal.retriable()) {
      ErrorCode code = refusal.code();
      if (code == ErrorCode.FENCED) {
        end(Ending.FENCED);
      } else if (code == ErrorCode.SESSION_ENDED || code == ErrorCode.TUNNEL_NOT_FOUND) {
        session.over(reason);
      } else {
        stop(reason);
      }
    }
  }

  /** True when the worker has lost the channel; for any thread. */
  boolean isCutOff() {
    return isCutOff;
  }

  /** The last checkpoint, but not behind the last position that the processor was given. */
  long storedOfGiven() {
    return Math.min(core.checkpointed(), core.given());
  }

  /** The processor is done with the input that ends at the position, or with all up to there. */
  void done(long position, boolean isUpTo, CompletableFuture<Void> stored) {
    if (core.state().isPastCheckpoints() || isCutOff) {
      stored.completeExceptionally(AwaitedCheckpoints.fenced(assignment));
    } else if (isUpTo && position < storedOfGiven()) {
      stored.completeExceptionally(AwaitedCheckpoints.behind(position, core.checkpointed()));
    } else if (isUpTo && !keys.isKnownAt(position)) {
      stored.completeExceptionally(AwaitedCheckpoints.withoutKey(position));
    } else {
      try {
        long needed = core.done(position, isUpTo);
        awaited.add(needed, stored);
        awaited.stored(core.checkpointed());
      } catch (IllegalArgumentException | IllegalStateException e) {
        stored.completeExceptionally(e);
      }
      drive();
    }
  }

  private void told() {
    core.told();
    drive();
  }

  /** Logs a failure of the channel as a warning, and shows it in the status of the worker. */
  void troubled(String failure, Throwable reason) {
    runtime.notices().troubled("channel " + channelId() + ": " + failure, reason);
  }

  private Consumer<Throwable> troubledThen(String failure, Runnable next) {
    return reason -> {
      troubled(failure, reason);
      next.run();
    };
  }

  private void stopProcessor() {
    if (runtime.processors() instanceof ProcessorSource.Shared) {
      core.processorStopped();
    } else {
      calls.shutDown(
          processor,
          this::stopped,
          troubledThen("shutdown of the processor failed", this::stopped));
    }
  }

  private void stopped() {
    core.processorStopped();
    drive();
  }

  private void giveBack(CompletableFuture<Frame> asked) {
    var unused = asked.whenComplete((answer, failure) -> runtime.guarded(() -> givenBack(failure)));
  }

  private void givenBack(Throwable failure) {
    if (failure == null) {
      core.released();
    } else {
      notGivenBack(Caller.unwrap(failure));
    }
    drive();
  }

  /** Retries; in the end the worker gives the channel back by ending the whole session. */
  private void notGivenBack(Throwable reason) {
    if (reason instanceof RefusedException refused && refused.code() == ErrorCode.FENCED) {
      core.end(Ending.FENCED);
    } else if (core.releaseFailed() && ChannelRequests.mayRetry(reason)) {
      runtime.later(ChannelRequests.RETRY_NANOS, this::goOn);
    } else {
      String text = "channel " + channelId() + " could not be given back: " + reason;
      session.over(new ConnectionException(text, false, reason));
    }
  }

  private void setCheckpointTimer() {
    if (!checkpointTimerIsSet && core.awaitsCheckpoint()) {
      checkpointTimerIsSet = true;
      runtime.later(
          Math.max(0, core.checkpointDueNanos() - runtime.nowNanos()),
          () -> {
            checkpointTimerIsSet = false;
            drive();
          });
    }
  }

  private ChannelProgress progressNow() {
    return new ChannelProgress(
        channelId(),
        assignment.partition(),
        assignment.type(),
        core.state().shown(),
        assignment.epoch(),
        Math.max(core.processed(), core.checkpointed()),
        core.checkpointed(),
        core.bufferedBytes(),
        Optional.empty());
  }
}
