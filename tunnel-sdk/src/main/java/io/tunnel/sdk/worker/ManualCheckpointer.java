package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.worker.thread.SerialTasks;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Stores the progress of one channel at the request of its processor. The processor may call it
 * from any thread; the channel updates it on the worker's thread.
 */
final class ManualCheckpointer implements ICheckpointer {

  private static final String FINISHED = "finished";

  private final ChannelRunner channel;
  private final WorkerRuntime runtime;

  /** Completes the futures of the processor, whose code must not run on the worker's thread. */
  private final SerialTasks completions;

  /** Last position that the processor was given. */
  private volatile long given;

  /** Last position that the processor was given, without an input at which it threw. */
  private volatile long givenAndNotThrown;

  /** A checkpointer of a channel whose processor was given no input yet. */
  ManualCheckpointer(ChannelRunner channel, WorkerRuntime runtime) {
    this.channel = channel;
    this.runtime = runtime;
    this.completions = new SerialTasks(runtime.threads(), Integer.MAX_VALUE);
    given(channel.assignment().checkpointed());
  }

  /** The processor is about to get an input that ends at {@code last}. */
  void given(long last) {
    given = last;
    givenAndNotThrown = last;
  }

  /** The processor threw; it has returned from all inputs up to {@code processed}. */
  void threw(long processed) {
    givenAndNotThrown = processed;
  }

  @Override
  public void checkpoint(String token) {
    EventLoops.requireMayBlock("checkpoint");
    var unused = Caller.await(isLast(token) ? allDone() : upTo(position(token)));
  }

  /**
   * The worker may have stored a position behind the last input, of changes that it skipped. So
   * only the worker's thread can tell the position to store.
   */
  private CompletableFuture<Void> allDone() {
    long last = givenAndNotThrown;
    return onWorker(stored -> channel.done(Math.max(last, channel.storedOfGiven()), true, stored));
  }

  private CompletableFuture<Void> upTo(long position) {
    return onWorker(stored -> channel.done(position, true, stored));
  }

  @Override
  public CompletableFuture<Void> checkpointAsync(String token) {
    long position = isLast(token) ? givenAndNotThrown : position(token);
    CompletableFuture<Void> told = new CompletableFuture<>();
    var unused =
        onWorker(stored -> channel.done(position, false, stored))
            .whenComplete((nothing, failure) -> completions.offer(() -> complete(told, failure)));
    return told;
  }

  private static void complete(CompletableFuture<Void> told, Throwable failure) {
    if (failure == null) {
      told.complete(null);
    } else {
      told.completeExceptionally(failure);
    }
  }

  /** Runs the call on the worker's thread, unless the worker has lost the channel or has ended. */
  private CompletableFuture<Void> onWorker(Consumer<CompletableFuture<Void>> call) {
    CompletableFuture<Void> stored = new CompletableFuture<>();
    Runnable fenced =
        () -> stored.completeExceptionally(AwaitedCheckpoints.fenced(channel.assignment()));
    if (channel.isCutOff()) {
      fenced.run();
    } else {
      runtime.post(() -> call.accept(stored), fenced);
    }
    return stored;
  }

  private static boolean isLast(String token) {
    return token == null || token.equals(FINISHED);
  }

  private long position(String token) {
    long last = given;
    long position;
    try {
      position = Long.parseLong(token);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + token + "' is not a token of getNextToken()", e);
    }
    if (position < 0 || position > last) {
      throw new IllegalArgumentException(
          "token "
              + token
              + " is not between 0 and "
              + last
              + ", the last position given to the processor");
    }
    return position;
  }
}
