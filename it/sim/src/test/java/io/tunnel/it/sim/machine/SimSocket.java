package io.tunnel.it.sim.machine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.tunnel.it.sim.SimWire;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One end of a simulated connection, in the shape in which Netty knows one, so that the very
 * handlers of server and SDK run on it.
 */
public final class SimSocket extends AbstractChannel implements DuplexChannel {

  private static final ChannelMetadata METADATA = new ChannelMetadata(false);
  private static final SocketAddress ANYWHERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(512, 1_536);

  private final String name;
  private final SimLoop loop;
  private final ChannelConfig config = new Config(this);
  private final Deque<Runnable> unread = new ArrayDeque<>();
  private SimWire out;
  private boolean isConnected;
  private boolean isOpen = true;
  private boolean isOutputShutdown;
  private boolean isEnded;

  /** Connects this end to an address, and says whether somebody listened there. */
  private BiConsumer<String, Consumer<Boolean>> connector =
      (address, connected) -> {
        throw new UnsupportedOperationException("the network has connected this socket");
      };

  SimSocket(String name, SimLoop loop) {
    super(null, new Id(name));
    this.name = name;
    this.loop = loop;
    config.setWriteBufferWaterMark(WRITE_BUFFER);
    config.setAllocator(loop.thread().process.buffers());
  }

  /** A socket that its owner connects, as Netty's bootstrap does. */
  SimSocket(String name, SimLoop loop, BiConsumer<String, Consumer<Boolean>> connector) {
    this(name, loop);
    this.connector = connector;
  }

  /** The options of a socket of TCP mean nothing here. */
  private static final class Config extends DefaultChannelConfig {

    Config(SimSocket socket) {
      super(socket);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      return option.equals(ChannelOption.TCP_NODELAY)
          || option.equals(ChannelOption.SO_KEEPALIVE)
          || super.setOption(option, value);
    }
  }

  private record Id(String name) implements ChannelId {
    @Override
    public String asShortText() {
      return name;
    }

    @Override
    public String asLongText() {
      return name;
    }

    @Override
    public int compareTo(ChannelId other) {
      return name.compareTo(other.asLongText());
    }
  }

  /** What this end writes goes there. */
  void connect(SimWire wire) {
    out = wire;
    isConnected = true;
  }

  String name() {
    return name;
  }

  /** Where it lives. */
  public SimLoop loop() {
    return loop;
  }

  /** Bytes arrive; on the loop. */
  public void arrived(byte[] bytes, Runnable beforeRead) {
    unread.add(
        () -> {
          beforeRead.run();
          pipeline().fireChannelRead(config.getAllocator().buffer(bytes.length).writeBytes(bytes));
        });
    readOn();
  }

  /** The other end has closed, or the connection is broken; on the loop. */
  public void ended() {
    isEnded = true;
    readOn();
  }

  private void readOn() {
    boolean hasRead = false;
    while (isOpen && config.isAutoRead() && !unread.isEmpty()) {
      unread.remove().run();
      hasRead = true;
    }
    if (hasRead && isOpen) {
      pipeline().fireChannelReadComplete();
    }
    if (isEnded && unread.isEmpty() && isOpen) {
      unsafe().close(unsafe().voidPromise());
    }
  }

  /** The wire takes more. */
  public void drained() {
    if (isOpen) {
      ((Ends) unsafe()).flushMore();
    }
  }

  private final class Ends extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      InetSocketAddress to = (InetSocketAddress) remote;
      connector.accept(
          to.getHostString() + ":" + to.getPort(),
          isConnected -> {
            if (isConnected) {
              promise.trySuccess();
            } else {
              promise.tryFailure(new ConnectException("nobody listens"));
            }
          });
    }

    void flushMore() {
      flush0();
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new Ends();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof SimLoop;
  }

  @Override
  protected SocketAddress localAddress0() {
    return null;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return ANYWHERE;
  }

  @Override
  protected void doBind(SocketAddress address) {
    throw new UnsupportedOperationException("a simulated socket is not bound");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    if (isOpen) {
      isOpen = false;
      unread.clear();
      if (out != null) {
        out.closedBySender();
      }
    }
  }

  @Override
  protected void doBeginRead() {
    eventLoop().execute(this::readOn);
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer buffer) {
    while (out.takesMore()) {
      Object message = buffer.current();
      if (message == null) {
        return;
      }
      ByteBuf bytes = (ByteBuf) message;
      byte[] copy = new byte[bytes.readableBytes()];
      bytes.getBytes(bytes.readerIndex(), copy);
      if (!isOutputShutdown) {
        out.send(copy);
      }
      buffer.remove();
    }
    out.full();
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return isOpen;
  }

  @Override
  public boolean isActive() {
    return isOpen && isConnected;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public boolean isInputShutdown() {
    return !isOpen;
  }

  @Override
  public boolean isOutputShutdown() {
    return isOutputShutdown;
  }

  @Override
  public boolean isShutdown() {
    return !isOpen;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return newSucceededFuture();
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return promise.setSuccess();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    isOutputShutdown = true;
    if (isOpen && out != null) {
      out.closedBySender();
    }
    return promise.setSuccess();
  }

  @Override
  public ChannelFuture shutdown() {
    return close();
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return close(promise);
  }

  @Override
  public String toString() {
    return name;
  }
}
