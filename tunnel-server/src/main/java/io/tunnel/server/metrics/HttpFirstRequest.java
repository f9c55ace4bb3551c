package io.tunnel.server.metrics;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.tunnel.server.metrics.HttpServer.Site;

/**
 * Classifies a connection by its first request. The pipeline is made for a probe, which asks for
 * one page and leaves. When the first request is for the site, the connection moves to the site's
 * places and gets the site's handler.
 */
final class HttpFirstRequest extends ChannelInboundHandlerAdapter {

  private final HttpConnections connections;
  private final Site site;

  HttpFirstRequest(HttpConnections connections, Site site) {
    this.connections = connections;
    this.site = site;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request
        && request.decoderResult().isSuccess()
        && site.has(request.uri())) {
      boolean hasPlace = connections.settle(ctx.channel());
      ctx.pipeline().replace(HttpWhole.class, "whole", new HttpWhole(site.bodyBytesMax()));
      ctx.pipeline().addAfter("whole", "site", site.handler(hasPlace));
    }
    // Fired before the removal: a removed handler's context is not for use.
    ctx.fireChannelRead(message);
    if (ctx.pipeline().context(this) != null) {
      ctx.pipeline().remove(this);
    }
  }
}
