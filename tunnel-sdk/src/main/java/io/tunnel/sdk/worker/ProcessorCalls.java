package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.FailurePolicy.Decision;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.worker.channel.Ending.Farewell;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls the user's code on threads that may block, and returns each outcome to the worker's thread.
 */
final class ProcessorCalls {

  private final WorkerRuntime runtime;
  private final Assignment assignment;

  /** Calls whose outcome has not returned; used on the worker's thread. */
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
                  "the processor factory returned null");
          return () -> made.accept(processor);
        },
        failed);
  }

  /**
   * Processes the input on a free thread, unless {@code isCutOff} is true by then; the outcome goes
   * to {@code run}.
   */
  void process(
      IChannelProcessor processor,
      ProcessRecordsInput input,
      int attempt,
      Supplier<Boolean> isCutOff,
      InputRun run) {
    run(
        () -> {
          if (isCutOff.get()) {
            return run::skipped;
          }
          long begunNanos = runtime.nowNanos();
          try {
            processor.process(input);
            runtime.counts().called(runtime.nowNanos() - begunNanos);
            return run::processed;
          } catch (Throwable e) {
            runtime.counts().called(runtime.nowNanos() - begunNanos);
            Optional<Decision> decision =
                runtime.settings().processing().policy().map(p -> decide(p, input, e, attempt));
            Throwable reason = speakable(e);
            return () -> run.failed(reason, decision);
          }
        },
        reason -> run.failed(reason, Optional.of(new FailurePolicy.Stop())));
  }

  private static Decision decide(
      FailurePolicy policy, ProcessRecordsInput input, Throwable error, int attempt) {
    try {
      return Objects.requireNonNull(
          policy.decide(input, error, attempt), "the failure policy returned null");
    } catch (Throwable e) {
      if (e != error) {
        error.addSuppressed(e);
      }
      return new FailurePolicy.Stop();
    }
  }

  /** The error if it can be printed: the user's exception must not throw when it is logged. */
  private static Throwable speakable(Throwable error) {
    try {
      error.printStackTrace(new PrintWriter(Writer.nullWriter()));
      return error;
    } catch (Throwable e) {
      return new IllegalStateException(
          error.getClass().getName() + " (printing the exception failed)");
    }
  }

  /**
   * Tells the processor why its channel ends; at once, on a further thread, if the channel is lost.
   */
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

  /** Runs the call, and then its result, or {@code failed} if it throws, on the worker's thread. */
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

  /** True while a call of the processor is queued or runs. Called on the worker's thread. */
  boolean areUnderWay() {
    return underWay > 0;
  }

  private void refuse(boolean runs, Consumer<Throwable> failed) {
    if (!runs) {
      bringBack(() -> failed.accept(new IllegalStateException("the worker has ended")));
    }
  }
}
