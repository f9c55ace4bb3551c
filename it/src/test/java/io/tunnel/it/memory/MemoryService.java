package io.tunnel.it.memory;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A server in memory: the engine that a single server runs, without disk, RocksDB and threads of
 * its own. Clients connect to a port of the loopback address; time passes by {@link #advance}.
 */
public final class MemoryService implements AutoCloseable {

  private final MovedClock clock = new MovedClock();
  private final MemoryThread thread = MemoryThread.begin();
  private final ChannelGroup connections = new DefaultChannelGroup(thread);
  private final Channel listener;

  /** Replaced by a crash; for the thread. */
  private MemoryEngine engine;

  private MemoryService() {
    boolean unused = thread.call(() -> begin(MemoryEngine.Kept.nothing()));
    listener =
        new ServerBootstrap()
            .group(thread)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel accepted) {
                    boolean unused = connections.add(accepted);
                    accepted.pipeline().addLast(new Touches(), engine.front());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  /** Tells the thread of each act of a client. */
  private final class Touches extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
      thread.touch();
      read.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext closed) {
      thread.touch();
      closed.fireChannelInactive();
    }
  }

  private boolean begin(MemoryEngine.Kept kept) {
    try {
      engine = new MemoryEngine(kept, clock, thread.later());
      thread.runs(engine);
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A service without tables. */
  public static MemoryService start() {
    return new MemoryService();
  }

  /** The port on the loopback address. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** The time of the service, in milliseconds since 1970. */
  public long nowMs() {
    return TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  /** Lets time pass: leases and deadlines end, and rows expire. */
  public void advance(Duration duration) {
    boolean unused =
        thread.call(
            () -> {
              clock.advance(duration);
              return true;
            });
  }

  /**
   * Ends the process of the server, and begins another one on the same port, over what a disk would
   * have.
   *
   * @param losesPower whether unsynced writes are lost
   */
  public void crashAndRestart(boolean losesPower) {
    boolean unused =
        thread.call(
            () -> {
              MemoryEngine.Kept left = engine.afterDeath(losesPower);
              var unusedClosing = connections.close();
              return begin(left);
            });
  }

  /** Closes all connections, and ends the thread. */
  @Override
  public void close() {
    thread.stop();
  }
}
