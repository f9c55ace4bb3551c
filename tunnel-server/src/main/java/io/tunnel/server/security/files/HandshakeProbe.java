package io.tunnel.server.security.files;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Shakes hands with a context in memory: that a key is not the one of its certificate, or is one
 * that TLS has no use for, shows in a handshake and nowhere before.
 */
final class HandshakeProbe {

  /** Bytes of a side's messages that are not read yet; the certificates are most of them. */
  private static final int FLIGHT_BYTES_MAX = 4 * SmallFile.BYTES_MAX;

  /** A handshake takes some ten steps, and one more for each 16 KiB of certificates. */
  private static final int STEPS_MAX = 1_000;

  private final SSLEngine server;
  private final SSLEngine client;
  private final ByteBuffer toServer = ByteBuffer.allocate(FLIGHT_BYTES_MAX);
  private final ByteBuffer toClient = ByteBuffer.allocate(FLIGHT_BYTES_MAX);

  private HandshakeProbe(SSLEngine server, SSLEngine client) {
    this.server = server;
    this.client = client;
  }

  /**
   * Refuses a context that no client can shake hands with, whomever the client trusts.
   *
   * @throws SSLException with what TLS says of it
   */
  static void require(SslContext server) throws SSLException {
    SslContext anybody =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .endpointIdentificationAlgorithm(null)
            .build();
    new HandshakeProbe(
            server.newEngine(UnpooledByteBufAllocator.DEFAULT),
            anybody.newEngine(UnpooledByteBufAllocator.DEFAULT))
        .shake();
  }

  private void shake() throws SSLException {
    server.beginHandshake();
    client.beginHandshake();
    for (int i = 0; i < STEPS_MAX; i++) {
      if (isDone(server) && isDone(client)) {
        return;
      }
      step(client, toServer, toClient);
      step(server, toClient, toServer);
    }
    throw new SSLException("a handshake has no end");
  }

  private static boolean isDone(SSLEngine engine) {
    return switch (engine.getHandshakeStatus()) {
      case FINISHED, NOT_HANDSHAKING -> true;
      case NEED_TASK, NEED_WRAP, NEED_UNWRAP, NEED_UNWRAP_AGAIN -> false;
    };
  }

  private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> engine.getDelegatedTask().run();
      case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
        in.flip();
        engine.unwrap(in, ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()));
        in.compact();
      }
      case FINISHED, NOT_HANDSHAKING -> {
        // The other side has something to do.
      }
    }
  }
}
