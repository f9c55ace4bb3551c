package io.tunnel.it.sim.machine;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.SimLink;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A client that sends one request at a time, and opens a connection when it has none. */
public final class SimClient implements PushReceiver {

  private static final Duration REQUEST_DEADLINE = Duration.ofSeconds(5);

  private final SimNetwork network;
  private final SimProcess process;
  private final SimLoop loop;
  private CompletableFuture<Link> link;

  public SimClient(SimNetwork network, SimProcess process) {
    this.network = network;
    this.process = process;
    this.loop = new SimLoop(process.thread("loop"));
  }

  /** Asks; the future completes on the client's loop. */
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    loop.execute(
        () ->
            link()
                .thenCompose(open -> open.request(operation, payload))
                .whenComplete(
                    (frame, failure) -> {
                      if (failure == null) {
                        answer.complete(frame);
                      } else {
                        answer.completeExceptionally(failure);
                      }
                    }));
    return answer;
  }

  /** Leaves its connection, which may be dead, and does something a while later. */
  public void leaveAndThen(long nanos, Runnable action) {
    loop.execute(
        () -> {
          if (link != null && link.isDone() && !link.isCompletedExceptionally()) {
            link.join().close();
          }
          link = null;
          loop.thread().after(nanos, action);
        });
  }

  private CompletableFuture<Link> link() {
    if (link == null || link.isCompletedExceptionally()) {
      link = connect(network, process.name, loop, this);
    }
    return link;
  }

  /** A greeted connection from that loop. */
  public static CompletableFuture<Link> connect(
      SimNetwork network, String name, SimLoop loop, PushReceiver receiver) {
    return connect(network, name, "", loop, receiver);
  }

  /** Connects to an address. */
  public static CompletableFuture<Link> connect(
      SimNetwork network, String name, String address, SimLoop loop, PushReceiver receiver) {
    Optional<AccessKey> key =
        network.isClosed() ? Optional.of(network.keys().of(name)) : Optional.empty();
    SimLink next = new SimLink(receiver, REQUEST_DEADLINE, key);
    SimSocket socket = network.connect(name, address, loop, next.handler(), next::connected);
    key.ifPresent(with -> network.keys().came(socket, name, with));
    next.closeWith(socket::close);
    return next.opened();
  }

  @Override
  public void pushed(Frame frame) {
    // Nothing is pushed to a client without a session.
  }

  @Override
  public void lost(ConnectionException reason) {
    link = null;
  }
}
