package io.tunnel.sdk.transport;

import io.netty.channel.ChannelHandler;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A worker's connection over the simulated network: the SDK's own handler, on a socket of it. */
public final class SimLink implements Link {

  private static final byte[] NOTHING = {};

  private final ConnectionHandler handler;
  private final Duration requestDeadline;
  private final CompletableFuture<Link> opened = new CompletableFuture<>();
  private Runnable closer = () -> {};

  /** A link that is not connected yet. */
  public SimLink(PushReceiver receiver, Duration requestDeadline) {
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
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    opened.complete(this);
                  } else {
                    opened.completeExceptionally(failure);
                    close();
                  }
                });
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return request(operation, payload, requestDeadline);
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload, Duration deadline) {
    PendingRequest request = new PendingRequest(operation, deadline);
    handler.send(request, NOTHING, payload);
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
