package io.tunnel.sdk.worker;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.worker.WorkerChannelCore.Action;
import io.tunnel.sdk.worker.WorkerChannelCore.Ending;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control.Assignment;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One holding of one channel: does what its {@link WorkerChannelCore} decides. Lives on the
 * worker's thread; only the processor's methods run elsewhere, one at a time.
 *
 * <p>Longer than most files: it is the one place where a channel's decisions become calls.
 */
final class ChannelRunner {

  private static final long FINAL_CHECKPOINT_PAUSE_MS = 100;

  private final Assignment assignment;
  private final List<PrimaryKeySchema> schema;
  private final ChannelPort port;
  private final WorkerRuntime runtime;
  private final WorkerChannelCore core;
  private final Deque<Delivery> waiting = new ArrayDeque<>();
  private IChannelProcessor processor;
  private boolean checkpointTimerIsSet;
  private volatile ChannelProgress progress;

  /** Whether the channel has been lost or fenced: what has not begun is pointless. */
  private volatile boolean isCutOff;

  /** What the processor was given last; read by its own thread when it checkpoints. */
  private volatile long given;

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
    this.given = assignment.checkpointed();
    this.progress = progressNow();
  }

  Assignment assignment() {
    return assignment;
  }

  ChannelProgress progress() {
    return progress;
  }

  long given() {
    return given;
  }

  ChannelPort port() {
    return port;
  }

  /** Its turn has come: no former holding of the channel in this process is active any more. */
  void open() {
    if (core.state() != WorkerChannelCore.State.WAITING) {
      return;
    }
    core.opening();
    if (runtime.processors() instanceof ProcessorSource.Shared shared) {
      opened(shared.processor());
    } else if (runtime.processors() instanceof ProcessorSource.PerChannel each) {
      runElsewhere(
          () -> {
            IChannelProcessor made =
                each.factory()
                    .createProcessor(
                        runtime.settings().tunnelId(),
                        assignment.sessionId(),
                        assignment.channelId(),
                        new ManualCheckpointer(this, runtime));
            runtime.post(() -> opened(made));
          },
          this::openFailed);
    }
  }

  private void opened(IChannelProcessor made) {
    if (made == null) {
      openFailed(new NullPointerException("the factory made no processor"));
      return;
    }
    processor = made;
    giveCredit(core.opened(runtime.nowNanos()));
    drive();
  }

  private void openFailed(Throwable reason) {
    port.troubled(assignment.channelId(), reason);
    core.openFailed();
    drive();
  }

  /** Something was delivered; {@code bytes} is the payload's length. */
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
      }
      drive();
    } catch (MalformedException | IllegalStateException e) {
      broken(e);
    }
  }

  /** The channel cannot go on, because of what the server sent or said. */
  void broken(Throwable reason) {
    port.troubled(assignment.channelId(), reason);
    end(Ending.FAILED);
  }

  /** The channel ends for that reason. */
  void end(Ending reason) {
    core.end(reason);
    isCutOff = !core.ending().isOurs();
    waiting.clear();
    drive();
  }

  private void drive() {
    for (Action action = next(); action != Action.WAIT; action = next()) {
      switch (action) {
        case PROCESS -> process();
        case CHECKPOINT -> checkpoint();
        case STOP_PROCESSOR -> stopProcessor();
        case RELEASE -> release();
        case CLOSE -> port.closed(this, core.ending());
        case WAIT -> throw new IllegalStateException("unreachable");
      }
    }
    setCheckpointTimer();
    progress = progressNow();
  }

  private Action next() {
    return core.next(runtime.nowNanos());
  }

  private void process() {
    int count = core.begin();
    List<Delivery> deliveries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      deliveries.add(waiting.remove());
    }
    given = core.given();
    process(Inputs.of(assignment, deliveries, schema));
  }

  private void process(ProcessRecordsInput input) {
    runElsewhere(
        () -> {
          if (isCutOff) {
            runtime.post(this::skipped);
            return;
          }
          processor.process(input);
          runtime.post(this::processed);
        },
        reason -> failed(input, reason));
  }

  /** The input that waited for a thread is not processed: the channel is no longer ours. */
  private void skipped() {
    var unused = core.failed();
    drive();
  }

  private void processed() {
    giveCredit(core.processingDone());
    port.processed(assignment.channelId());
    drive();
  }

  private void failed(ProcessRecordsInput input, Throwable reason) {
    port.troubled(assignment.channelId(), reason);
    if (core.failed()) {
      runtime.later(
          runtime.settings().processing().retry().pauseNanos(core.attempts(), runtime.chance()),
          () -> {
            if (core.pauseOver()) {
              process(input);
            }
          });
    }
    drive();
  }

  private void giveCredit(int bytes) {
    if (bytes > 0) {
      Credit credit = new Credit(assignment.handle(), assignment.epoch(), bytes);
      port.push(Operation.CREDIT, credit.encode());
    }
  }

  private void checkpoint() {
    long position = core.beginCheckpoint(runtime.nowNanos());
    var unused =
        port.request(Operation.CHECKPOINT, checkpointPayload(position))
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    core.checkpointStored();
                    port.checkpointStored();
                  } else {
                    checkpointFailed(Caller.unwrap(failure));
                  }
                  drive();
                });
  }

  byte[] checkpointPayload(long position) {
    return new Checkpoint(assignment.handle(), assignment.epoch(), position).encode();
  }

  private void checkpointFailed(Throwable reason) {
    boolean isRetriable = reason instanceof RefusedException refused && refused.retriable();
    if (core.checkpointFailed(isRetriable)) {
      runtime.later(
          TimeUnit.MILLISECONDS.toNanos(FINAL_CHECKPOINT_PAUSE_MS),
          () -> {
            core.pauseOver();
            drive();
          });
    }
    refused(reason);
  }

  /** The server refused a checkpoint or a release of this channel. */
  void refused(Throwable reason) {
    if (reason instanceof RefusedException refusal && !refusal.retriable()) {
      if (refusal.code() == ErrorCode.FENCED) {
        end(Ending.FENCED);
      } else if (refusal.code() == ErrorCode.SESSION_ENDED
          || refusal.code() == ErrorCode.TUNNEL_NOT_FOUND) {
        port.sessionEnded(reason);
      } else {
        broken(reason);
      }
    }
  }

  /** The processor has stored its progress by itself. */
  void stored(long position) {
    core.stored(position);
    port.checkpointStored();
    progress = progressNow();
  }

  private void stopProcessor() {
    if (runtime.processors() instanceof ProcessorSource.Shared) {
      core.processorStopped();
      return;
    }
    runElsewhere(
        () -> {
          processor.shutdown();
          runtime.post(this::stopped);
        },
        reason -> {
          port.troubled(assignment.channelId(), reason);
          stopped();
        });
  }

  private void stopped() {
    core.processorStopped();
    drive();
  }

  private void release() {
    byte[] payload = new ChannelRef(assignment.handle(), assignment.epoch()).encode();
    var unused =
        port.request(Operation.RELEASE, payload)
            .whenComplete(
                (answer, failure) -> {
                  core.released();
                  drive();
                });
  }

  /**
   * Runs what the user wrote where it may block; what it throws comes back to the worker's thread.
   */
  private void runElsewhere(Runnable task, Consumer<Throwable> failed) {
    boolean runs =
        runtime
            .threads()
            .run(
                () -> {
                  try {
                    task.run();
                  } catch (Throwable e) {
                    runtime.post(() -> failed.accept(e));
                  }
                });
    if (!runs) {
      runtime.post(() -> failed.accept(new IllegalStateException("the worker has ended")));
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
        core.state().name(),
        assignment.epoch(),
        core.processed(),
        core.checkpointed(),
        core.bufferedBytes());
  }
}
