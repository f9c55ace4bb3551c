package io.tunnel.server.security.files;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/**
 * TLS with one handshake on each connection. In TLS 1.2 a client may start a new handshake as often
 * as it likes, before it is authenticated: each costs the server a signature and the client next to
 * nothing. No client of ours does so; the server closes the connection.
 */
final class OneHandshake extends SslHandler {

  private static final String RENEGOTIATING = "TLSv1.2";

  OneHandshake(SSLEngine engine) {
    super(engine);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    super.channelRead(context, message);
    if (handshakeFuture().isSuccess() && isShakingHands()) {
      context.close();
    }
  }

  private boolean isShakingHands() {
    HandshakeStatus status = engine().getHandshakeStatus();
    return status != HandshakeStatus.NOT_HANDSHAKING
        && status != HandshakeStatus.FINISHED
        && engine().getSession().getProtocol().equals(RENEGOTIATING);
  }
}
