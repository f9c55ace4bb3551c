package io.tunnel.sdk.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.sdk.transport.trust.TlsFailures;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.Hello;
import io.tunnel.wire.KeyExchange;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection after its greeting. Every request ends: with its answer, with the server's
 * refusal, or with a {@link ConnectionException} when the connection or the deadline ends first.
 * Thread-safe; futures complete on the connection's event loop.
 */
public final class Connection implements Link {

  private static final Logger LOGGER = LoggerFactory.getLogger(Connection.class);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Channel nettyChannel;
  private final ConnectionHandler handler;
  private final Duration requestDeadline;

  private Connection(Channel nettyChannel, ConnectionHandler handler, Duration requestDeadline) {
    this.nettyChannel = nettyChannel;
    this.handler = handler;
    this.requestDeadline = requestDeadline;
  }

  /**
   * Connects, greets, and says who the client is. Fails with a retriable {@link
   * ConnectionException} when the server cannot be reached before the deadline, with one that is
   * lasting when its certificate is not trusted, and with the server's refusal when the server
   * turns the client away.
   */
  public static CompletableFuture<Connection> open(
      ClientPort port, LoadedConfig loaded, Endpoint endpoint, PushReceiver receiver) {
    ClientConfig config = loaded.config();
    CompletableFuture<Connection> opened = new CompletableFuture<>();
    ConnectionHandler handler = new ConnectionHandler(endpoint.toString(), receiver);
    int connectMs = (int) Math.min(Integer.MAX_VALUE, config.connectDeadline().toMillis());
    ChannelFuture connecting =
        port.place()
            .bootstrap()
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMs)
            .option(ChannelOption.RECVBUF_ALLOCATOR, ConnectionHandler.readBuffers())
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    port.place().keep(channel);
                    loaded.tls(channel.alloc(), endpoint).ifPresent(channel.pipeline()::addLast);
                    channel.pipeline().addLast(handler);
                  }
                })
            .connect(endpoint.host(), endpoint.port());
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            opened.completeExceptionally(unreachable(endpoint, done.cause()));
            return;
          }
          Connection connection =
              new Connection(connecting.channel(), handler, config.requestDeadline());
          connection.begin(port, endpoint, config, opened);
        });
    return opened.whenComplete(
        (connection, failure) -> {
          if (failure == null) {
            config.meter().connected();
          } else {
            config.meter().connectFailed();
          }
        });
  }

  private static ConnectionException unreachable(Endpoint endpoint, Throwable cause) {
    return new ConnectionException(
        "cannot connect to " + endpoint + ": " + Unreachable.why(cause), true, cause);
  }

  private void begin(
      ClientPort port,
      Endpoint endpoint,
      ClientConfig config,
      CompletableFuture<Connection> opened) {
    byte[] hello = Hello.request(Protocol.SPOKEN, port.name()).encode();
    Duration deadline = config.connectDeadline();
    var unused =
        shakeHands()
            .thenCompose(secured -> request(Operation.HELLO, hello, deadline))
            .thenAccept(Connection::confirm)
            .thenCompose(greeted -> authenticate(port, endpoint, config))
            .whenComplete(
                (known, failure) -> {
                  if (failure == null) {
                    opened.complete(this);
                  } else {
                    opened.completeExceptionally(why(endpoint, config, Caller.unwrap(failure)));
                    close();
                  }
                });
  }

  /** Completes when the TLS handshake is over; at once without TLS. */
  private CompletableFuture<Void> shakeHands() {
    CompletableFuture<Void> secured = new CompletableFuture<>();
    tls()
        .ifPresentOrElse(
            tls ->
                tls.handshakeFuture()
                    .addListener(
                        done -> {
                          if (done.isSuccess()) {
                            secured.complete(null);
                          } else {
                            secured.completeExceptionally(done.cause());
                          }
                        }),
            () -> secured.complete(null));
    return secured;
  }

  private Optional<SslHandler> tls() {
    return Optional.ofNullable(nettyChannel.pipeline().get(SslHandler.class));
  }

  /** Throws unless the client can talk with a server that greets with {@code answer}. */
  private static void confirm(Frame answer) {
    Agreement agreed = Hello.decode(answer.payload()).confirm(Protocol.SPOKEN);
    LOGGER.debug("connected: {}", agreed);
  }

  /**
   * Proves the client's identity with its key. A client without a key sends nothing: its
   * certificate may identify it.
   */
  private CompletableFuture<Void> authenticate(
      ClientPort port, Endpoint endpoint, ClientConfig config) {
    if (config.security().key().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    AccessKey key = config.security().key().get();
    Bytes binding =
        tls()
            .map(tls -> KeyExchange.binding(tls.engine().getSession()))
            .orElse(AuthenticationProof.NO_CHANNEL);
    KeyExchange exchange =
        new KeyExchange(
            key.id(), key.secret().utf8(), port.secret(Authentication.NONCE_BYTES), binding);
    Duration deadline = config.connectDeadline();
    return request(Operation.AUTHENTICATE, exchange.begin(), deadline)
        .thenCompose(
            challenge ->
                request(Operation.AUTHENTICATE, exchange.prove(challenge.payload()), deadline))
        .thenAccept(
            accepted -> {
              // Outside of the log line: the call verifies the server, and a log line may be
              // switched off.
              String principal =
                  exchange
                      .confirm(accepted.payload())
                      .orElseThrow(() -> unproved(endpoint, key.id()));
              LOGGER.debug("{} knows the client as {}", endpoint, principal);
            });
  }

  private static ConnectionException unproved(Endpoint endpoint, String keyId) {
    return ConnectionException.lasting(
        "cannot connect to "
            + endpoint
            + ": the server takes the key "
            + keyId
            + ", but does not know the key's secret: another program answers in the server's place",
        null);
  }

  /** The reason for a failed connection, in words for people. */
  private static RuntimeException why(Endpoint endpoint, ClientConfig config, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused;
    }
    if (failure instanceof ConnectionException never && never.isLasting()) {
      return never;
    }
    if (TlsFailures.isOne(failure)) {
      return TlsFailures.explain(endpoint, config.security(), failure);
    }
    // A server may close the connection with a reason: it wants TLS, or is full.
    if (failure.getCause() instanceof RefusedException last && !last.retriable()) {
      return ConnectionException.lasting(
          "cannot connect to " + endpoint + ": " + last.getMessage(), failure);
    }
    if (failure.getCause() instanceof FrameException foreign) {
      return ConnectionException.lasting(
          "cannot connect to " + endpoint + ": " + foreign.getMessage(), failure);
    }
    return unreachable(endpoint, failure);
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return request(operation, payload, requestDeadline);
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload, Duration deadline) {
    return send(new PendingRequest(operation, deadline), payload, NOTHING);
  }

  /** Sends a request whose payload has two parts, so that the larger part is not copied. */
  public CompletableFuture<Frame> request(Operation operation, byte[] prefix, ByteBuffer payload) {
    return send(new PendingRequest(operation, requestDeadline), prefix, payload);
  }

  /**
   * Sends a request that another server can answer as well: fails, long before the deadline, also
   * when the server falls silent and does not answer a probe.
   */
  public CompletableFuture<Frame> read(Operation operation, byte[] payload) {
    return send(new PendingRequest(operation, requestDeadline, true), payload, NOTHING);
  }

  private CompletableFuture<Frame> send(PendingRequest request, byte[] prefix, ByteBuffer payload) {
    onLoop(
        () -> handler.send(request, prefix, payload),
        () -> request.fail(new ConnectionException("the client is closed", true, null)));
    return request.answer();
  }

  @Override
  public void push(Operation operation, byte[] payload) {
    onLoop(() -> handler.push(operation, payload), () -> {});
  }

  /** Runs the task on the connection's event loop; at once when called there. */
  private void onLoop(Runnable task, Runnable refused) {
    EventLoop loop = nettyChannel.eventLoop();
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException closed) {
      refused.run();
    }
  }

  /** Whether the connection is open; may change at any moment. */
  public boolean isOpen() {
    return nettyChannel.isActive();
  }

  /** Whether to send requests here: the connection is open, and the server is not silent. */
  boolean isUsable() {
    return isOpen() && !handler.isSilent();
  }

  /** Whether every request has its answer; on the connection's event loop. */
  boolean isIdle() {
    return handler.isIdle();
  }

  @Override
  public void close() {
    var unused = nettyChannel.close();
  }
}
