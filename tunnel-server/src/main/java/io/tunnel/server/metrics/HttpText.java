package io.tunnel.server.metrics;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.util.Iterator;

/** A text that is made while it is sent: the next piece when the connection has room for it. */
final class HttpText implements ChunkedInput<ByteBuf> {

  private static final long UNKNOWN = -1;

  private final Iterator<CharSequence> pieces;
  private long bytes;

  HttpText(Iterator<CharSequence> pieces) {
    this.pieces = pieces;
  }

  @Override
  public boolean isEndOfInput() {
    return !pieces.hasNext();
  }

  @Override
  public ByteBuf readChunk(ByteBufAllocator allocator) {
    if (!pieces.hasNext()) {
      return null;
    }
    ByteBuf piece = ByteBufUtil.writeUtf8(allocator, pieces.next());
    bytes += piece.readableBytes();
    return piece;
  }

  /** Netty's older method, which its interface still declares and nobody calls. */
  @SuppressWarnings("InlineMeSuggester")
  @Deprecated
  @Override
  public ByteBuf readChunk(ChannelHandlerContext ctx) {
    return readChunk(ctx.alloc());
  }

  @Override
  public long length() {
    return UNKNOWN;
  }

  @Override
  public long progress() {
    return bytes;
  }

  @Override
  public void close() {}
}
