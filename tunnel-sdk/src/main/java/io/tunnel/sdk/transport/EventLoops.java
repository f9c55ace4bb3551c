package io.tunnel.sdk.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A few daemon threads for bytes, timers and callbacks, shared by any number of users. Each user
 * has a {@link Place} on one of the loops, so a user's tasks run one after the other. Threads start
 * with the first place on their loop, and all threads end with the last place. They use native
 * epoll where the platform has it and the JVM does not warn of native code. Thread-safe.
 *
 * <p>The two groups of a process are the exception to "no static state": sharing threads among
 * clients that know nothing of each other needs one. {@code docs/internals/adr/0037} has the
 * reasons.
 */
public final class EventLoops {

  private static final int PROCESS_THREADS_MAX = 8;
  private static final int PROCESS_THREADS =
      Math.max(1, Math.min(PROCESS_THREADS_MAX, Runtime.getRuntime().availableProcessors()));

  /**
   * The loops of all clients of the process. The program's own callbacks run here: a slow callback
   * delays the clients that share its loop.
   */
  public static final EventLoops OF_CLIENTS = new EventLoops(PROCESS_THREADS);

  /**
   * The loops of all workers, readers and watches of the process. No code of the program runs here,
   * so no program's code delays heartbeats and credit.
   */
  public static final EventLoops OF_DELIVERIES = new EventLoops(PROCESS_THREADS);

  private static final long QUIET_MS = 0;
  private static final long CLOSE_MS_MAX = 2_000;

  private final int threads;

  // Guarded by this.
  private Optional<MultiThreadIoEventLoopGroup> group = Optional.empty();

  /** The number of places on each loop of {@link #group}. */
  private final Map<EventLoop, Integer> places = new LinkedHashMap<>();

  /** At most {@code threads} loops; none before the first place. */
  public EventLoops(int threads) {
    this.threads = threads;
  }

  /** A place on the loop that has the fewest places; its user closes it. */
  public synchronized Place place() {
    boolean isNative = NativeAccess.isQuiet() && Epoll.isAvailable();
    if (group.isEmpty()) {
      LoggingNotice.give();
      IoHandlerFactory handlers =
          isNative ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
      MultiThreadIoEventLoopGroup made =
          new MultiThreadIoEventLoopGroup(threads, new NettyThreads(), handlers);
      made.forEach(loop -> places.put((EventLoop) loop, 0));
      group = Optional.of(made);
    }
    EventLoop loop =
        places.entrySet().stream()
            .min(Comparator.comparingInt(Map.Entry::getValue))
            .orElseThrow()
            .getKey();
    places.merge(loop, 1, Integer::sum);
    Class<? extends Channel> type = isNative ? EpollSocketChannel.class : NioSocketChannel.class;
    return new Place(loop, () -> new Bootstrap().group(loop).channel(type), () -> leave(loop));
  }

  /** Ends the threads behind the last place; they run the tasks that they have. */
  private synchronized Optional<Future<?>> leave(EventLoop loop) {
    places.merge(loop, -1, Integer::sum);
    if (places.values().stream().anyMatch(count -> count > 0)) {
      return Optional.empty();
    }
    Future<?> ended =
        group.orElseThrow().shutdownGracefully(QUIET_MS, CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    places.clear();
    group = Optional.empty();
    return Optional.of(ended);
  }

  /** Whether the calling thread is a callback thread of the SDK, which must never wait. */
  public static boolean isCallbackThread() {
    return Thread.currentThread() instanceof NettyThread;
  }

  /**
   * Refuses to wait on a callback thread, because the awaited event would have to run there.
   *
   * @throws IllegalStateException on a callback thread
   */
  public static void requireMayBlock(String what) {
    if (isCallbackThread()) {
      throw new IllegalStateException(
          what
              + " would block a callback thread of the SDK for ever: call it"
              + " from a thread of your own");
    }
  }

  /** One user's right to a loop, with the connections and timers of this user. Thread-safe. */
  public static final class Place implements AutoCloseable {

    private final EventLoop loop;
    private final Supplier<Bootstrap> sockets;
    private final Supplier<Optional<Future<?>>> leaving;
    private final ChannelGroup nettyChannels =
        new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
    private final Set<Timer> timers = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /**
     * A place on {@code loop}.
     *
     * @param sockets begins the making of a connection on the loop
     * @param leaving runs when the place is closed; returns the end of the loop, if the loop ends
     */
    Place(EventLoop loop, Supplier<Bootstrap> sockets, Supplier<Optional<Future<?>>> leaving) {
      this.loop = loop;
      this.sockets = sockets;
      this.leaving = leaving;
    }

    /** The loop. */
    public EventLoop loop() {
      return loop;
    }

    /** Begins the making of a connection on the loop. */
    public Bootstrap bootstrap() {
      return sockets.get();
    }

    /** Closes the channel when the place is closed, or now if it is. */
    void keep(Channel nettyChannel) {
      nettyChannels.add(nettyChannel);
    }

    /**
     * Runs the task soon.
     *
     * @throws RejectedExecutionException when the place is closed
     */
    void execute(Runnable task) {
      requireOpen();
      loop.execute(task);
    }

    /**
     * Runs the task after a pause, or never when the place is closed before.
     *
     * @throws RejectedExecutionException when the place is closed
     */
    public void schedule(Runnable task, long delayNanos) {
      requireOpen();
      Timer timer = new Timer(task);
      timers.add(timer);
      timer.entry = loop.schedule(timer, delayNanos, TimeUnit.NANOSECONDS);
      if (isClosed) { // By another thread, which may have missed the entry.
        timer.cancel();
      }
    }

    private void requireOpen() {
      if (isClosed) {
        throw new RejectedExecutionException("the client, worker or reader is closed");
      }
    }

    /**
     * Closes the user's connections and drops its timers. Returns after both, and on a callback
     * thread before. Idempotent.
     */
    @Override
    public void close() {
      synchronized (this) {
        if (isClosed) {
          return;
        }
        isClosed = true;
      }
      timers.forEach(Timer::cancel);
      await(nettyChannels.close());
      leaving.get().ifPresent(Place::await);
    }

    private static void await(Future<?> ended) {
      if (!isCallbackThread()) {
        ended.awaitUninterruptibly(CLOSE_MS_MAX);
      }
    }

    /** A task that waits for its time. */
    private final class Timer implements Runnable {
      private final Runnable task;
      private volatile Future<?> entry;

      Timer(Runnable task) {
        this.task = task;
      }

      @Override
      public void run() {
        timers.remove(this);
        if (!isClosed) {
          task.run();
        }
      }

      void cancel() {
        if (entry != null) {
          entry.cancel(false);
          timers.remove(this);
        }
      }
    }
  }

  private static final class NettyThread extends FastThreadLocalThread {
    NettyThread(ThreadGroup group, Runnable task, String name) {
      super(group, task, name);
    }
  }

  private static final class NettyThreads extends DefaultThreadFactory {
    NettyThreads() {
      super("tunnel-sdk", true);
    }

    @Override
    protected Thread newThread(Runnable task, String name) {
      Thread thread = new NettyThread(threadGroup, task, name);
      // Not the loader of the first user, who may be gone while others use the thread.
      thread.setContextClassLoader(EventLoops.class.getClassLoader());
      return thread;
    }
  }
}
