package io.tunnel.sdk.testing;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.tunnel.server.engine.EngineInMemory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one thread of a service: an event loop that also is the engine's control thread, its readers
 * and the owner of its shard. After each turn of the loop the thread does all work that waits, and
 * checks the conditions that tests wait for. So each call of a test finds an engine at rest.
 */
final class Loop extends SingleThreadIoEventLoop {

  private static final long CLOSE_MS_MAX = 2_000;

  /** What one tick begins, such as the deletion of bound rows, may need further ticks to end. */
  private static final int TICKS = 5;

  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private final Started started;

  /** Set once before the first client connects, and by each crash; for the thread. */
  private EngineInMemory engine;

  /** Whether a client or the test has acted since the last rest; for the thread. */
  private boolean isTouched;

  /** Whether conditions are being checked; they may look at the service. */
  private boolean isChecking;

  private Loop(Started started) {
    super(null, started, NioIoHandler.newFactory());
    this.started = started;
  }

  /** A loop whose thread starts with the first task. */
  static Loop begin() {
    return new Loop(new Started());
  }

  /** Makes the thread, and knows when it has ended. */
  private static final class Started implements ThreadFactory {
    private final AtomicReference<Thread> thread = new AtomicReference<>();

    @Override
    public Thread newThread(Runnable task) {
      Thread made = new FastThreadLocalThread(task, "in-memory-tunnel-service");
      made.setDaemon(true);
      thread.set(made);
      return made;
    }
  }

  /**
   * Listens on a free port of the loopback address; returns the port.
   *
   * @param peers makes the first handler of each connection
   * @param fronts gives the last handler of a connection
   */
  int listen(Supplier<Peer> peers, Supplier<ChannelHandler> fronts) {
    Channel listener =
        new ServerBootstrap()
            .group(this)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel accepted) {
                    accepted.pipeline().addLast(peers.get(), fronts.get());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  private record Waiter(BooleanSupplier condition, CompletableFuture<Void> met) {

    boolean isMet() {
      try {
        return condition.getAsBoolean() && met.complete(null);
      } catch (RuntimeException | AssertionError e) {
        return met.completeExceptionally(e);
      }
    }
  }

  /** Works for {@code next} from now on, and drops what waits for the engine before. */
  void runs(EngineInMemory next) {
    waiting.clear();
    engine = next;
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
    if (engine == null) {
      return;
    }
    settle();
    if (isTouched) {
      isTouched = false;
      for (int i = 0; i < TICKS; i++) {
        engine.tick();
        settle();
      }
      check();
    }
  }

  /** Does all that waits. For the thread. */
  void settle() {
    boolean isAtRest = false;
    while (!isAtRest) {
      isAtRest = !engine.run();
      for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
        task.run();
        isAtRest = false;
      }
    }
  }

  private void check() {
    if (!isChecking) {
      isChecking = true;
      waiters.removeIf(Waiter::isMet);
      isChecking = false;
    }
  }

  /** Runs an action on the thread; returns its result or throws its exception. */
  <T> T call(Supplier<T> action) {
    if (inEventLoop()) {
      return action.get();
    }
    try {
      return CompletableFuture.supplyAsync(action, this).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Runs an action on the thread, and all that it brings, before it returns. */
  void run(Runnable action) {
    var unused =
        call(
            () -> {
              action.run();
              touch();
              rest();
              return true;
            });
  }

  /**
   * Waits until {@code condition} holds, which the thread evaluates after each change.
   *
   * @throws AssertionError when the condition does not hold within {@code deadline}
   */
  void await(BooleanSupplier condition, Duration deadline, Supplier<String> whatIsMissing) {
    if (inEventLoop()) {
      throw new IllegalStateException("a call on the service's own thread would wait for ever");
    }
    CompletableFuture<Void> met = new CompletableFuture<>();
    execute(
        () -> {
          waiters.add(new Waiter(condition, met));
          check();
        });
    try {
      var unused = met.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("not within " + deadline + ": " + whatIsMissing.get(), e);
    } catch (ExecutionException e) {
      throw new AssertionError("the condition failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting: " + whatIsMissing.get(), e);
    }
  }

  /** Closes all connections; returns when the thread has ended. */
  void stop() {
    var unused = shutdownGracefully(0, CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    try {
      started.thread.get().join(CLOSE_MS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
