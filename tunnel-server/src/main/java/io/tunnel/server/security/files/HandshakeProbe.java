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
 * Tries a handshake with a context in memory: only a handshake shows that a key does not fit its
 * certificate, or that TLS cannot use it.
 */
final class HandshakeProbe {

  /** Bytes of one side's unread messages; mostly certificates. */
  private static final int FLIGHT_BYTES_MAX = 4 * SmallFile.BYTES_MAX;

  /** Steps of a handshake: about ten, and one more for each 16 KiB of certificates. */
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
   * Refuses a context whose handshakes fail with every client.
   *
   * @throws SSLException with the reason that TLS gives
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
        // The next step is the other side's.
      }
    }
  }
}
