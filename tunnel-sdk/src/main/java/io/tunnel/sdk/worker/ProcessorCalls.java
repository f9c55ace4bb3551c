package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.FailurePolicy.Decision;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.worker.channel.Farewell;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls what the user wrote, on threads where it may block, and brings what comes of it back to the
 * worker's thread.
 */
final class ProcessorCalls {

  /** What comes of processing. On the worker's thread. */
  interface Outcome {
    /** It worked. */
    void processed();

    /** It was not begun: the channel had been cut off. */
    void skipped();

    /**
     * It threw.
     *
     * @param decision the user's; absent when there is no policy
     */
    void failed(ProcessRecordsInput input, Throwable reason, Optional<Decision> decision);
  }

  private final WorkerRuntime runtime;
  private final Assignment assignment;

  /** Calls whose outcome has not come back; on the worker's thread. */
  private int underWay;

  ProcessorCalls(WorkerRuntime runtime, Assignment assignment) {
    this.runtime = runtime;
    this.assignment = assignment;
  }

  void make(
      IChannelProcessorFactory factory,
      ICheckpointer checkpointer,
      Consumer<IChannelProcessor> made,
      Consumer<Throwable> failed) {
    run(
        () -> {
          IChannelProcessor processor =
              Objects.requireNonNull(
                  factory.createProcessor(
                      runtime.settings().tunnelId(),
                      assignment.sessionId(),
                      assignment.channelId(),
                      checkpointer),
                  "the factory made no processor");
          return () -> made.accept(processor);
        },
        failed);
  }

  /** Processes, unless the channel has been cut off when a thread is free. */
  void process(
      IChannelProcessor processor,
      ProcessRecordsInput input,
      int attempt,
      Supplier<Boolean> isCutOff,
      Outcome outcome) {
    run(
        () -> {
          if (isCutOff.get()) {
            return outcome::skipped;
          }
          long begunNanos = runtime.nowNanos();
          try {
            processor.process(input);
            runtime.counts().called(runtime.nowNanos() - begunNanos);
            return outcome::processed;
          } catch (Throwable e) {
            runtime.counts().called(runtime.nowNanos() - begunNanos);
            Optional<Decision> decision =
                runtime.settings().processing().policy().map(p -> decide(p, input, e, attempt));
            Throwable reason = speakable(e);
            return () -> outcome.failed(input, reason, decision);
          }
        },
        reason -> outcome.failed(input, reason, Optional.of(new FailurePolicy.Stop())));
  }

  private static Decision decide(
      FailurePolicy policy, ProcessRecordsInput input, Throwable error, int attempt) {
    try {
      return Objects.requireNonNull(policy.decide(input, error, attempt), "no decision");
    } catch (Throwable e) {
      if (e != error) {
        error.addSuppressed(e);
      }
      return new FailurePolicy.Stop();
    }
  }

  /** The error, if it can be printed: that is code of the user's too, and must not throw later. */
  private static Throwable speakable(Throwable error) {
    try {
      error.printStackTrace(new PrintWriter(Writer.nullWriter()));
      return error;
    } catch (Throwable e) {
      return new IllegalStateException(error.getClass().getName() + ", which cannot be printed");
    }
  }

  /** Tells the processor why its channel ends; at once when it is somebody else's. */
  void tell(
      IChannelProcessor processor, Farewell farewell, Runnable told, Consumer<Throwable> failed) {
    String id = assignment.channelId();
    Supplier<Runnable> call =
        () -> {
          switch (farewell) {
            case CLOSING -> processor.closing(id);
            case ENDED -> processor.ended(id);
            case REVOKED -> processor.revoked(id);
          }
          return told;
        };
    if (farewell == Farewell.REVOKED) {
      runBeside(call, failed);
    } else {
      run(call, failed);
    }
  }

  void shutDown(IChannelProcessor processor, Runnable stopped, Consumer<Throwable> failed) {
    run(
        () -> {
          processor.shutdown();
          return stopped;
        },
        failed);
  }

  /** Runs the call, then on the worker's thread what it returns or, if it throws, the other. */
  private void run(Supplier<Runnable> call, Consumer<Throwable> failed) {
    underWay++;
    refuse(runtime.threads().run(() -> bring(call, failed)), failed);
  }

  private void runBeside(Supplier<Runnable> call, Consumer<Throwable> failed) {
    underWay++;
    refuse(runtime.threads().runBeside(() -> bring(call, failed)), failed);
  }

  private void bring(Supplier<Runnable> call, Consumer<Throwable> failed) {
    Runnable next;
    try {
      next = call.get();
    } catch (Throwable e) {
      Throwable reason = speakable(e);
      next = () -> failed.accept(reason);
    }
    bringBack(next);
  }

  private void bringBack(Runnable outcome) {
    runtime.post(
        () -> {
          underWay--;
          outcome.run();
        });
  }

  /** Whether a method of the processor runs, or is about to. On the worker's thread. */
  boolean areUnderWay() {
    return underWay > 0;
  }

  private void refuse(boolean runs, Consumer<Throwable> failed) {
    if (!runs) {
      bringBack(() -> failed.accept(new IllegalStateException("the worker has ended")));
    }
  }
}
