package io.tunnel.server.security.files;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection that began without TLS, with a last word that its client can read. Nothing of
 * what the client sends gets further than this.
 */
public final class PlainRefusal extends ChannelInboundHandlerAdapter {

  /** How long what the client sends is thrown away, so that it gets to see the last word. */
  private static final long LINGER_S = 1;

  private final byte[] lastWord;

  /** Says these bytes. */
  public PlainRefusal(byte[] lastWord) {
    this.lastWord = lastWord.clone();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    // From the head: what encrypts or makes frames is not asked.
    var unused = context.writeAndFlush(Unpooled.wrappedBuffer(lastWord));
    context.executor().schedule(() -> context.close(), LINGER_S, TimeUnit.SECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
