package io.tunnel.server.metrics;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The connections of the HTTP port: so many at most, and each for so long at most. A new one takes
 * the place of the oldest, so that those that are opened and left keep nobody out.
 *
 * <p>Its monitor guards which there are; nothing is called under it.
 */
@Sharable
final class HttpConnections extends ChannelInboundHandlerAdapter {

  /** From the first byte that could be sent to the last that is taken. */
  static final long LIFE_S_MAX = 10;

  private final int connectionsMax;
  private final Set<Channel> open = new LinkedHashSet<>();

  HttpConnections(int connectionsMax) {
    this.connectionsMax = connectionsMax;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    enter(ctx.channel()).ifPresent(Channel::close);
    var unused = ctx.executor().schedule(() -> ctx.close(), LIFE_S_MAX, TimeUnit.SECONDS);
    ctx.fireChannelActive();
  }

  /** Returns the one whose place it takes. */
  private synchronized Optional<Channel> enter(Channel nettyChannel) {
    Optional<Channel> oldest =
        open.size() < connectionsMax ? Optional.empty() : Optional.of(open.iterator().next());
    oldest.ifPresent(open::remove);
    open.add(nettyChannel);
    return oldest;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    synchronized (this) {
      open.remove(ctx.channel());
    }
    ctx.fireChannelInactive();
  }
}
