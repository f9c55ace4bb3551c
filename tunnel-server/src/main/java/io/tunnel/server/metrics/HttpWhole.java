package io.tunnel.server.metrics;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpContentException;

/**
 * Makes whole requests. A request whose body is too long is passed on as a failed request, so that
 * its refusal comes in its turn and in the form of all refusals.
 */
final class HttpWhole extends HttpObjectAggregator {

  HttpWhole(int bodyBytesMax) {
    super(bodyBytesMax, true);
  }

  /** Asks for a body that fits. Expectations that the server does not know are ignored. */
  @Override
  protected Object newContinueResponse(
      HttpMessage start, int maxContentLength, ChannelPipeline pipeline) {
    Object response = super.newContinueResponse(start, maxContentLength, pipeline);
    return response instanceof FullHttpResponse whole
            && whole.status().equals(HttpResponseStatus.CONTINUE)
        ? response
        : null;
  }

  @Override
  protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
    HttpRequest request = (HttpRequest) oversized;
    FullHttpRequest failed =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, request.method(), request.uri(), Unpooled.EMPTY_BUFFER);
    failed.setDecoderResult(
        DecoderResult.failure(
            new TooLongHttpContentException(
                "the body of a request has at most " + maxContentLength() + " bytes")));
    ctx.fireChannelRead(failed);
  }
}
