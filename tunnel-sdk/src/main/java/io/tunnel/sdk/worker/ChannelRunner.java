package io.tunnel.sdk.worker;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.worker.channel.AwaitedCheckpoints;
import io.tunnel.sdk.worker.channel.ChannelAction;
import io.tunnel.sdk.worker.channel.ChannelState;
import io.tunnel.sdk.worker.channel.Ending;
import io.tunnel.sdk.worker.channel.WorkerChannelCore;
import io.tunnel.sdk.worker.input.DeliveredRecords;
import io.tunnel.sdk.worker.input.Inputs;
import io.tunnel.sdk.worker.input.Retrying;
import io.tunnel.sdk.worker.input.RowKeys;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
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
 * One holding of one channel: does what its {@link WorkerChannelCore} decides. Lives on the
 * worker's thread; only the processor's methods run elsewhere.
 *
 * <p>Longer than most files: it is the one place where a channel's decisions become calls.
 */
final class ChannelRunner implements InputRun.Channel, ProcessorMaking.Outcome {

  private final Assignment assignment;
  private final List<PrimaryKeySchema> schema;
  private final ChannelPort port;
  private final WorkerRuntime runtime;
  private final WorkerChannelCore core;
  private final ProcessorCalls calls;
  private final AwaitedCheckpoints awaited = new AwaitedCheckpoints();
  private final ProcessorMaking making;
  private final InputRun inputs;
  private final ManualCheckpointer checkpointer;
  private final RowKeys keys;
  private final Deque<Delivery> waiting = new ArrayDeque<>();
  private IChannelProcessor processor;
  private Throwable stopReason = new IllegalStateException("stopped");
  private boolean checkpointTimerIsSet;
  private volatile ChannelProgress progress;

  /** Whether the channel has been lost or fenced: what has not begun is pointless. */
  private volatile boolean isCutOff;

  ChannelRunner(
      Assignment assignment,
      List<PrimaryKeySchema> schema,
      ChannelPort port,
      WorkerRuntime runtime) {
    this.assignment = assignment;
    this.schema = schema;
    this.port = port;
    this.runtime = runtime;
    this.core = new WorkerChannelCore(runtime.settings().channel(), assignment.checkpointed());
    this.calls = new ProcessorCalls(runtime, assignment);
    this.making = new ProcessorMaking(runtime, core, calls, this);
    this.inputs = new InputRun(assignment, runtime, core, this);
    this.checkpointer = new ManualCheckpointer(this, runtime);
    this.keys = new RowKeys(assignment);
    this.progress = progressNow();
  }

  Assignment assignment() {
    return assignment;
  }

  /** For any thread. */
  ChannelProgress progress() {
    ChannelProgress now = progress;
    Optional<Retrying> retry = retry();
    return retry.isEmpty() ? now : now.retrying(retry.get().info(runtime.nowNanos()));
  }

  /** Whether what is delivered is processed. */
  boolean isRunning() {
    return core.state() == ChannelState.RUNNING;
  }

  /** The last position that was delivered, or is known to be no change behind that. */
  long received() {
    return core.received();
  }

  /** Of a base channel, the key of the row at {@link #received}. */
  Bytes receivedKey() {
    return keys.received();
  }

  /** All that it has received, and will for now, is of that incarnation. */
  void seenIn(Optional<Long> incarnation) {
    keys.seenIn(incarnation);
  }

  /** Bytes that may still be delivered; below 0 when the last delivery was larger. */
  long creditLeft() {
    return core.creditLeft();
  }

  Ending ending() {
    return core.ending();
  }

  Throwable stopReason() {
    return stopReason;
  }

  /** Whether its processor was made, and so will be told of its end. */
  boolean wasOpened() {
    return processor != null;
  }

  /** Its turn has come: no former holding of the channel in this process is active any more. */
  void open() {
    if (core.state() == ChannelState.WAITING) {
      core.opening();
      making.make(checkpointer, assignment.channelId());
    }
  }

  @Override
  public void made(IChannelProcessor made) {
    processor = made;
    runtime.notices().tell(l -> l.channelOpened(assignment.channelId(), assignment.epoch()));
    if (core.opened(runtime.nowNanos())) {
      port.opened(this);
    }
    drive();
  }

  @Override
  public void notMade(Throwable reason) {
    port.troubled(assignment.channelId(), reason);
    stopReason = reason;
    drive();
  }

  /** More may be delivered. */
  void grant(int bytes) {
    if (core.state() == ChannelState.RUNNING) {
      core.granted(bytes);
      port.granted(this);
    }
  }

  /** Something was delivered. */
  void delivered(byte[] payload) {
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

  /** No change follows what was delivered, up to that position. */
  void settled(long position) {
    core.settled(position);
    drive();
  }

  /** Nothing comes behind that position. */
  void endsAt(long position) {
    try {
      core.endsAt(position);
      drive();
    } catch (IllegalStateException e) {
      stop(e);
    }
  }

  /** The channel cannot go on, because of what the server sent or said. */
  void stop(Throwable reason) {
    port.troubled(assignment.channelId(), reason);
    stopReason = reason;
    end(Ending.STOPPED);
  }

  /** The channel ends for that reason. */
  void end(Ending reason) {
    core.end(reason);
    making.over();
    inputs.ending();
    waiting.clear();
    if (!core.ending().isOurs()) {
      isCutOff = true;
      awaited.failAll(Unstored.fenced(assignment));
    }
    drive();
  }

  /** It is broken: what it says of itself counts no more. Waits for a callback that runs. */
  void abandon() {
    if (!calls.areUnderWay()) {
      close();
    }
  }

  private void close() {
    isCutOff = true;
    awaited.failAll(Unstored.fenced(assignment));
    port.closed(this);
  }

  @Override
  public void drive() {
    for (ChannelAction action = next(); action != ChannelAction.WAIT; action = next()) {
      switch (action) {
        case PROCESS -> process();
        case TELL -> calls.tell(processor, core.farewell(), this::told, troubledThen(this::told));
        case CHECKPOINT -> checkpoint();
        case STOP_PROCESSOR -> stopProcessor();
        case RELEASE -> sayLastWord(Operation.RELEASE, LastWords.release(assignment));
        case STOP_CHANNEL ->
            sayLastWord(Operation.STOP_CHANNEL, LastWords.stop(assignment, stopReason, failedAt()));
        case CLOSE -> close();
        case WAIT -> throw new IllegalStateException("unreachable");
      }
    }
    setCheckpointTimer();
    progress = progressNow();
  }

  private ChannelAction next() {
    return core.next(runtime.nowNanos());
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

  @Override
  public void call(
      ProcessRecordsInput input, int attempt, long last, ProcessorCalls.Outcome outcome) {
    checkpointer.given(last);
    calls.process(processor, input, attempt, () -> isCutOff, outcome);
  }

  @Override
  public void divided(StreamRecord last) {
    keys.reached(last);
  }

  @Override
  public void threw(Throwable reason) {
    checkpointer.threw(core.processed());
    port.noted(assignment.channelId(), reason);
    if (core.ending() == Ending.NONE) {
      stopReason = reason;
    }
  }

  @Override
  public void processed(int bytes) {
    port.processed(this, bytes);
  }

  /** How it is retried, if it is, as the server is told. */
  Optional<RetryingChannel> retrying() {
    long now = runtime.nowNanos();
    return retry()
        .map(
            retry -> new RetryingChannel(assignment.handle(), assignment.epoch(), retry.wire(now)));
  }

  private Optional<Retrying> retry() {
    return inputs.retrying().or(making::retrying);
  }

  /** The change that its processor failed at last. */
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
        LastWords.store(port, request, inputs.skips().upTo(position))
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(() -> checkpointed(position, begunNanos, failure)));
  }

  private void checkpointed(long position, long begunNanos, Throwable failure) {
    if (failure == null) {
      core.checkpointStored();
      inputs.skips().stored(position);
      runtime.counts().checkpointStored(runtime.nowNanos() - begunNanos);
      port.checkpointStored();
      awaited.stored(position);
    } else {
      checkpointFailed(position, Caller.unwrap(failure));
    }
    drive();
  }

  private void checkpointFailed(long position, Throwable reason) {
    boolean mayHelp = LastWords.mayHelp(reason);
    if (core.checkpointFailed(mayHelp)) {
      runtime.later(LastWords.PAUSE_NANOS, this::goOn);
    } else if (mayHelp && core.isLastCheckpointGivenUp()) {
      port.troubled(assignment.channelId(), reason);
    } else if (mayHelp && position > core.given()) {
      // No processor will ask for it again: it was never given that position.
      runtime.later(LastWords.SETTLED_PAUSE_NANOS, () -> settled(position));
    }
    awaited.failed(position, reason);
    refused(reason);
  }

  private void goOn() {
    core.lastWordPauseOver();
    drive();
  }

  private void refused(Throwable reason) {
    if (reason instanceof RefusedException refusal && !refusal.retriable()) {
      ErrorCode code = refusal.code();
      if (code == ErrorCode.FENCED) {
        end(Ending.FENCED);
      } else if (code == ErrorCode.SESSION_ENDED || code == ErrorCode.TUNNEL_NOT_FOUND) {
        port.sessionEnded(reason);
      } else {
        stop(reason);
      }
    }
  }

  /** Whether the channel is another's; for any thread. */
  boolean isCutOff() {
    return isCutOff;
  }

  /** The last position that is stored, of those that the processor was given. */
  long storedOfGiven() {
    return Math.min(core.checkpointed(), core.given());
  }

  /** The input that ends at the position, or everything up to there, is done. */
  void done(long position, boolean isUpTo, CompletableFuture<Void> stored) {
    if (core.state().isPastCheckpoints() || isCutOff) {
      stored.completeExceptionally(Unstored.fenced(assignment));
    } else if (isUpTo && position < storedOfGiven()) {
      stored.completeExceptionally(Unstored.behind(position, core.checkpointed()));
    } else if (isUpTo && !keys.isKnownAt(position)) {
      stored.completeExceptionally(Unstored.without(position));
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

  private Consumer<Throwable> troubledThen(Runnable next) {
    return reason -> {
      port.troubled(assignment.channelId(), reason);
      next.run();
    };
  }

  private void stopProcessor() {
    if (runtime.processors() instanceof ProcessorSource.Shared) {
      core.processorStopped();
    } else {
      calls.shutDown(processor, this::stopped, troubledThen(this::stopped));
    }
  }

  private void stopped() {
    core.processorStopped();
    drive();
  }

  private void sayLastWord(Operation operation, byte[] payload) {
    var unused =
        port.request(operation, payload)
            .whenComplete((answer, failure) -> runtime.guarded(() -> lastWordSaid(failure)));
  }

  private void lastWordSaid(Throwable failure) {
    if (failure == null) {
      core.released();
    } else {
      lastWordFailed(Caller.unwrap(failure));
    }
    drive();
  }

  /** The server must get the channel back, be it with the whole session. */
  private void lastWordFailed(Throwable reason) {
    if (reason instanceof RefusedException refused && refused.code() == ErrorCode.FENCED) {
      core.end(Ending.FENCED);
    } else if (core.releaseFailed() && LastWords.mayHelp(reason)) {
      runtime.later(LastWords.PAUSE_NANOS, this::goOn);
    } else {
      String text = "channel " + assignment.channelId() + " could not be given back: " + reason;
      port.sessionEnded(new ConnectionException(text, false, reason));
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
        assignment.channelId(),
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
