package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.worker.thread.Completions;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Stores a channel's progress when its processor says so; from any thread, but for what it is told
 * itself.
 */
final class ManualCheckpointer implements ICheckpointer {

  private static final String FINISHED = "finished";

  private final ChannelRunner channel;
  private final WorkerRuntime runtime;
  private final Completions completions;

  /** What the processor was given last; read by its own thread when it checkpoints. */
  private volatile long given;

  /** Inputs given to the processor, without those at which it threw. */
  private volatile long givenAndNotThrown;

  /** Of a channel whose processor was given nothing yet. */
  ManualCheckpointer(ChannelRunner channel, WorkerRuntime runtime) {
    this.channel = channel;
    this.runtime = runtime;
    this.completions = new Completions(runtime.threads());
    given(channel.assignment().checkpointed());
  }

  /** The processor is about to be given what ends there. */
  void given(long last) {
    given = last;
    givenAndNotThrown = last;
  }

  /** The processor threw at what it was given; it has returned from all up to {@code processed}. */
  void threw(long processed) {
    givenAndNotThrown = processed;
  }

  @Override
  public void checkpoint(String token) {
    EventLoops.requireMayBlock("checkpoint");
    var unused = Caller.await(isLast(token) ? allDone() : upTo(position(token)));
  }

  /**
   * A later position than that of the last input may be stored already: that of changes behind it
   * that were left out. So which one is meant is known on the worker's thread alone.
   */
  private CompletableFuture<Void> allDone() {
    long last = givenAndNotThrown;
    return said(stored -> channel.done(Math.max(last, channel.storedOfGiven()), true, stored));
  }

  private CompletableFuture<Void> upTo(long position) {
    return said(stored -> channel.done(position, true, stored));
  }

  @Override
  public CompletableFuture<Void> checkpointAsync(String token) {
    long position = isLast(token) ? givenAndNotThrown : position(token);
    // The caller's code must not run on the worker's thread.
    return completions.of(said(stored -> channel.done(position, false, stored)));
  }

  /** Says it to the channel on the worker's thread, unless it is another's by then. */
  private CompletableFuture<Void> said(Consumer<CompletableFuture<Void>> word) {
    CompletableFuture<Void> stored = new CompletableFuture<>();
    Runnable fenced = () -> stored.completeExceptionally(Unstored.fenced(channel.assignment()));
    if (channel.isCutOff()) {
      fenced.run();
    } else {
      runtime.post(() -> word.accept(stored), fenced);
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
          "token " + token + " is not 0 to " + last + ", the last that the processor was given");
    }
    return position;
  }
}
