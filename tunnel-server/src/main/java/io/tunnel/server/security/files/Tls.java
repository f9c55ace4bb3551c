package io.tunnel.server.security.files;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.SocketFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS with the certificates of a security directory. Connections that begin after a change of the
 * files get the new certificates; open connections keep theirs. Unusable files are logged and
 * change nothing.
 */
public final class Tls {

  private static final Logger LOGGER = LoggerFactory.getLogger(Tls.class);
  private static final long WARN_MS = Duration.ofDays(30).toMillis();
  private static final long WARN_AGAIN_MS = Duration.ofDays(1).toMillis();

  private final CertificateFiles files;
  private final LongSupplier epochMs;
  private volatile CertificateFiles.Loaded loaded;
  private String fingerprint;

  /** The time of the last warning that the certificate expires. */
  private OptionalLong warnedMs = OptionalLong.empty();

  /**
   * Reads the certificates.
   *
   * @param epochMs milliseconds since 1970, now
   * @throws IOException when the files are unusable; the message says what would be right
   */
  public Tls(Path directory, LongSupplier epochMs) throws IOException {
    this.files = new CertificateFiles(directory);
    this.epochMs = epochMs;
    this.fingerprint = files.fingerprint();
    this.loaded = files.load();
    warnOfExpiry();
  }

  /** Reads changed files again, and warns before the certificate expires. For one thread. */
  public void look() {
    String now = files.fingerprint();
    if (!now.equals(fingerprint)) {
      fingerprint = now;
      try {
        loaded = files.load();
        warnedMs = OptionalLong.empty();
        LOGGER.info(
            "the certificates of {} were read again: good until {}",
            files,
            loaded.certificate().getNotAfter().toInstant());
      } catch (IOException e) {
        LOGGER.error("{}; the server keeps its current certificates", e.getMessage());
      }
    }
    warnOfExpiry();
  }

  private void warnOfExpiry() {
    long nowMs = epochMs.getAsLong();
    long leftMs = expiresMs() - nowMs;
    boolean wasSaid = warnedMs.isPresent() && nowMs - warnedMs.getAsLong() < WARN_AGAIN_MS;
    if (leftMs < WARN_MS && !wasSaid) {
      warnedMs = OptionalLong.of(nowMs);
      LOGGER.warn(
          "the server's certificate in {} {} on {}; replace it",
          files,
          leftMs < 0 ? "has expired" : "expires",
          loaded.certificate().getNotAfter().toInstant());
    }
  }

  /** When the server's certificate expires, in milliseconds since 1970. */
  public long expiresMs() {
    return loaded.certificate().getNotAfter().toInstant().toEpochMilli();
  }

  /**
   * The first handler in the pipeline of a connection.
   *
   * @param refusal makes the handler for a connection that begins without TLS, which tells the
   *     client
   */
  public ChannelHandler handler(Supplier<ChannelHandler> refusal) {
    return new OptionalSslHandler(loaded.server()) {
      @Override
      protected SslHandler newSslHandler(ChannelHandlerContext context, SslContext server) {
        return new OneHandshake(server.newEngine(context.alloc()));
      }

      @Override
      protected ChannelHandler newNonSslHandler(ChannelHandlerContext context) {
        return refusal.get();
      }
    };
  }

  /**
   * The first handler in the pipeline of a connection to a different server of the authority. It
   * presents no certificate, and does not compare the server's host name: the client and the server
   * have to prove to each other who they are.
   */
  public ChannelHandler toServer(ByteBufAllocator alloc) {
    return loaded.anonymous().newHandler(alloc);
  }

  /**
   * Sockets to other servers of the authority, which present this server's certificate: each with
   * the newest certificates when it is made.
   */
  public SocketFactory sockets() {
    return new NewestSockets();
  }

  private final class NewestSockets extends SocketFactory {

    private SocketFactory newest() {
      return ((JdkSslContext) loaded.client()).context().getSocketFactory();
    }

    @Override
    public Socket createSocket() throws IOException {
      return newest().createSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return newest().createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
        throws IOException {
      return newest().createSocket(host, port, local, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return newest().createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
        throws IOException {
      return newest().createSocket(host, port, local, localPort);
    }
  }

  /**
   * Ends a connection that began without TLS, with a last message that its client can read.
   * Discards all bytes from the client.
   */
  public static final class PlainRefusal extends ChannelInboundHandlerAdapter {

    /** Seconds for which the client's bytes are discarded, so that it receives the last message. */
    private static final long LINGER_S = 1;

    private final byte[] lastWord;

    /** Sends these bytes. */
    public PlainRefusal(byte[] lastWord) {
      this.lastWord = lastWord.clone();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      // Written at the head of the pipeline, after encryption and framing.
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

  /**
   * TLS with one handshake on each connection. In TLS 1.2 a client may start a new handshake as
   * often as it likes, before it is authenticated: each costs the server a signature and the client
   * next to nothing. No client of ours does so; the server closes the connection.
   */
  private static final class OneHandshake extends SslHandler {

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
}
