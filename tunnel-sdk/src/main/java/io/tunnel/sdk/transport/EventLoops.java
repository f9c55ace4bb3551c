package io.tunnel.sdk.transport;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.TimeUnit;

/**
 * The few daemon threads of one client, for bytes, timers and callbacks. They use native epoll
 * where the platform has it and the JVM does not warn of native code.
 */
public final class EventLoops implements AutoCloseable {

  private static final long QUIET_MS = 0;
  private static final long CLOSE_MS_MAX = 2_000;

  private final MultiThreadIoEventLoopGroup group;
  private final Class<? extends Channel> channelType;

  private EventLoops(MultiThreadIoEventLoopGroup group, Class<? extends Channel> channelType) {
    this.group = group;
    this.channelType = channelType;
  }

  /** Makes {@code threads} event loops; a thread starts on first use. */
  public static EventLoops start(int threads) {
    LoggingNotice.give();
    var factory = new NettyThreads();
    return NativeAccess.isQuiet() && Epoll.isAvailable()
        ? new EventLoops(
            new MultiThreadIoEventLoopGroup(threads, factory, EpollIoHandler.newFactory()),
            EpollSocketChannel.class)
        : new EventLoops(
            new MultiThreadIoEventLoopGroup(threads, factory, NioIoHandler.newFactory()),
            NioSocketChannel.class);
  }

  /** One of the loops. */
  public EventLoop next() {
    return (EventLoop) group.next();
  }

  /** An event loop for connections, and the kind of channel that fits the loop. */
  public record Place(EventLoop loop, Class<? extends Channel> channelType) {}

  /** The next loop as a place for connections. */
  public Place nextPlace() {
    return new Place(next(), channelType);
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

  @Override
  public void close() {
    var closed = group.shutdownGracefully(QUIET_MS, CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    if (!isCallbackThread()) {
      closed.awaitUninterruptibly(CLOSE_MS_MAX);
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
      return new NettyThread(threadGroup, task, name);
    }
  }
}
