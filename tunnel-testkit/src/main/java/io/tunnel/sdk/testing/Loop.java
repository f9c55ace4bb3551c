package io.tunnel.sdk.testing;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one thread of a service: it moves bytes, serves requests, runs the calls of the test, and
 * after each of these checks the conditions that the test waits for.
 */
final class Loop implements AutoCloseable {

  private static final long CLOSE_MS_MAX = 2_000;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("in-memory-tunnel-service", true), NioIoHandler.newFactory());
  private final EventLoop thread = (EventLoop) group.next();
  private final List<Waiter> waiters = new ArrayList<>();
  private Channel listener;

  private record Waiter(BooleanSupplier condition, CompletableFuture<Void> met) {

    boolean isMet() {
      try {
        return condition.getAsBoolean() && met.complete(null);
      } catch (RuntimeException | AssertionError e) {
        return met.completeExceptionally(e);
      }
    }
  }

  /** Listens on a free port of the loopback address. */
  void listen(Supplier<Peer> peers) {
    listener =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel accepted) {
                    accepted.pipeline().addLast(peers.get());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Runs an action on the thread; returns its result or throws its exception. */
  <T> T call(Supplier<T> action) {
    if (thread.inEventLoop()) {
      return action.get();
    }
    try {
      return CompletableFuture.supplyAsync(action, thread).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Wakes the waiting calls whose conditions hold now. */
  void changed() {
    waiters.removeIf(Waiter::isMet);
  }

  /**
   * Waits until {@code condition} holds, which the thread evaluates after each change.
   *
   * @throws AssertionError when the condition does not hold within {@code deadline}
   */
  void await(BooleanSupplier condition, Duration deadline, Supplier<String> whatIsMissing) {
    if (thread.inEventLoop()) {
      throw new IllegalStateException("a call on the service's own thread would wait for ever");
    }
    CompletableFuture<Void> met = new CompletableFuture<>();
    thread.execute(
        () -> {
          waiters.add(new Waiter(condition, met));
          changed();
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

  @Override
  public void close() {
    group
        .shutdownGracefully(0, CLOSE_MS_MAX, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(CLOSE_MS_MAX);
  }
}
