package io.tunnel.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The socket of a stranger, in memory and in a time of its own. That the server closes it is noted
 * and not done: a connection that is gone tells rooms of it that a test does not have.
 */
final class StrangerChannel extends EmbeddedChannel implements DuplexChannel {

  private static final long STEP_MS = 500;

  private boolean isKept = true;
  private boolean isOutputShutdown;

  private StrangerChannel() {
    super(DefaultChannelId.newInstance(), true, false);
  }

  /** A socket that has just connected. */
  static StrangerChannel of(Connection connection) {
    StrangerChannel stranger = new StrangerChannel();
    stranger.freezeTime();
    stranger.pipeline().addLast(stranger.new Closes(), connection);
    // Registered while it had nobody to tell.
    stranger.pipeline().fireChannelActive();
    return stranger;
  }

  private final class Closes extends ChannelOutboundHandlerAdapter {
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      isKept = false;
      promise.setSuccess();
    }
  }

  /** The server has not closed it. */
  boolean isKept() {
    return isKept;
  }

  /** Bytes that came; as long as the server does not read, they wait where nobody looks. */
  void hear(ByteBuf bytes) {
    if (config().isAutoRead()) {
      pipeline().fireChannelRead(bytes);
      runPendingTasks();
      checkException();
    } else {
      bytes.release();
    }
  }

  /** Lets time pass, and what is due happen. */
  void pass(long ms) {
    for (long left = ms; left > 0; left -= STEP_MS) {
      advanceTimeBy(Math.min(left, STEP_MS), TimeUnit.MILLISECONDS);
      runPendingTasks();
      checkException();
    }
  }

  /** All frames that the server has sent. */
  List<Frame> answers() {
    List<Frame> frames = new ArrayList<>();
    FrameAssembler assembler = new FrameAssembler();
    for (ByteBuf bytes = readOutbound(); bytes != null; bytes = readOutbound()) {
      byte[] array = new byte[bytes.readableBytes()];
      bytes.readBytes(array).release();
      assembler.feed(ByteBuffer.wrap(array), frames::add);
    }
    return frames;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 7650);
  }

  @Override
  public boolean isOutputShutdown() {
    return isOutputShutdown;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    isOutputShutdown = true;
    return promise.setSuccess();
  }

  @Override
  public boolean isInputShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdownInput() {
    throw new IllegalStateException("a server ends its own side");
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return shutdownInput();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdownInput();
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return shutdownInput();
  }
}
