package io.tunnel.sdk.transport;

import io.netty.channel.ChannelHandler;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Hello;
import io.tunnel.wire.KeyExchange;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A worker's connection over the simulated network: the SDK's own handler, on a socket of it. */
public final class SimLink implements Link {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final Bytes NONCE = Bytes.copyOf(new byte[Authentication.NONCE_BYTES]);

  private final ConnectionHandler handler;
  private final Duration requestDeadline;
  private final Optional<AccessKey> key;
  private final CompletableFuture<Link> opened = new CompletableFuture<>();
  private Runnable closer = () -> {};

  /** A link that is not connected yet; the client authenticates with {@code key}, if present. */
  public SimLink(PushReceiver receiver, Duration requestDeadline, Optional<AccessKey> key) {
    this.key = key;
    this.handler = new ConnectionHandler("simulated", receiver);
    this.requestDeadline = requestDeadline;
  }

  /** What its socket is served by. */
  public ChannelHandler handler() {
    return handler;
  }

  /** How its socket is closed. */
  public void closeWith(Runnable close) {
    closer = close;
  }

  /** Completes when the server has greeted. */
  public CompletableFuture<Link> opened() {
    return opened;
  }

  /** The socket is connected, or could not be. */
  public void connected(boolean isConnected) {
    if (!isConnected) {
      opened.completeExceptionally(new ConnectionException("nobody listens", true, null));
      close();
      return;
    }
    byte[] hello = Hello.request(Protocol.SPOKEN, "simulated").encode();
    var unused =
        request(Operation.HELLO, hello)
            .thenCompose(greeted -> authenticated())
            .whenComplete(
                (known, failure) -> {
                  if (failure == null) {
                    opened.complete(this);
                  } else {
                    opened.completeExceptionally(failure);
                    close();
                  }
                });
  }

  /** Says who it is where that is asked, as every client does; its nonce may be the same. */
  private CompletableFuture<Void> authenticated() {
    if (key.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    KeyExchange exchange =
        new KeyExchange(
            key.get().id(), key.get().secret().utf8(), NONCE, AuthenticationProof.NO_CHANNEL);
    return request(Operation.AUTHENTICATE, exchange.begin())
        .thenCompose(
            challenge -> request(Operation.AUTHENTICATE, exchange.prove(challenge.payload())))
        .thenAccept(
            accepted -> {
              String unused = exchange.confirm(accepted.payload()).orElseThrow();
            });
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return request(operation, payload, requestDeadline);
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload, Duration deadline) {
    PendingRequest request = new PendingRequest(operation, deadline);
    handler.send(request, payload, NOTHING);
    return request.answer();
  }

  @Override
  public void push(Operation operation, byte[] payload) {
    handler.push(operation, payload);
  }

  @Override
  public void close() {
    closer.run();
  }
}
