package io.tunnel.it.memory;

import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one thread of an engine in memory: an event loop that also is the control thread, the readers
 * and the owner of the shard. After each turn of the loop the thread does all work that waits, so
 * the test and each client find an engine at rest.
 */
final class MemoryThread extends SingleThreadIoEventLoop {

  private static final long CLOSE_MS_MAX = 2_000;

  /** What one tick begins, such as the deletion of bound rows, may need further ticks to end. */
  private static final int TICKS = 5;

  private final Queue<Runnable> waiting = new ArrayDeque<>();

  /** Does work of the shard. */
  private volatile BooleanSupplier work = () -> false;

  /** Looks for what is due. */
  private volatile Runnable tick = () -> {};

  /** Whether a client or the test has acted since the last ticks; for the thread. */
  private boolean isTouched;

  private final Started started;

  private MemoryThread(Started started) {
    super(null, started, NioIoHandler.newFactory());
    this.started = started;
  }

  /** A thread that starts with its first task. */
  static MemoryThread begin() {
    return new MemoryThread(new Started());
  }

  /** Makes the thread, and knows when it has ended. */
  private static final class Started implements ThreadFactory {
    private final AtomicReference<Thread> thread = new AtomicReference<>();

    @Override
    public Thread newThread(Runnable task) {
      Thread made = new FastThreadLocalThread(task, "engine-in-memory");
      made.setDaemon(true);
      thread.set(made);
      return made;
    }
  }

  /** Runs {@code next} from now on. */
  void runs(MemoryEngine next) {
    work = next::run;
    tick = next::tick;
  }

  /** A client has acted: something may be due though no time has passed. For the thread. */
  void touch() {
    isTouched = true;
  }

  /** An executor of this thread; its tasks run before the thread waits for bytes again. */
  Executor later() {
    return task -> {
      if (inEventLoop()) {
        waiting.add(task);
      } else {
        execute(task);
      }
    };
  }

  @Override
  protected void afterRunningAllTasks() {
    super.afterRunningAllTasks();
    rest();
  }

  /** Does all that waits, and after an act of a client or the test all that is due. */
  private void rest() {
    settle();
    if (isTouched) {
      isTouched = false;
      for (int i = 0; i < TICKS; i++) {
        tick.run();
        settle();
      }
    }
  }

  private void settle() {
    boolean isAtRest = false;
    while (!isAtRest) {
      isAtRest = !work.getAsBoolean();
      for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
        task.run();
        isAtRest = false;
      }
    }
  }

  /** Runs an action, and all that it brings, before it returns. */
  <T> T call(Supplier<T> action) {
    CompletableFuture<T> done =
        CompletableFuture.supplyAsync(
            () -> {
              T result = action.get();
              touch();
              rest();
              return result;
            },
            this);
    try {
      return done.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Returns when the thread has ended. */
  void stop() {
    var unused = shutdownGracefully(0, CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    try {
      started.thread.get().join(CLOSE_MS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
