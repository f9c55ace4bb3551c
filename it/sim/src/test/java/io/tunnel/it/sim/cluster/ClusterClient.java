package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A client that asks one node after the other, and follows redirections. */
final class ClusterClient {

  private static final long PAUSE_NANOS = 100_000_000;

  private final ClusterWorld world;
  private final SimProcess process;
  private final SimLoop loop;
  private final TreeMap<String, CompletableFuture<Link>> links = new TreeMap<>();
  private int lastRequest;

  ClusterClient(ClusterWorld world, String name) {
    this.world = world;
    this.process = world.process(name);
    this.loop = new SimLoop(process.thread("loop"));
  }

  /** Asks one node, once; the answer comes on the client's loop. */
  CompletableFuture<Frame> ask(Endpoint node, Operation operation, byte[] payload) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    loop.execute(
        () -> {
          var unused =
              link(node.toString())
                  .thenCompose(open -> open.request(operation, payload))
                  .whenComplete(
                      (frame, failure) -> {
                        if (failure == null) {
                          answer.complete(frame);
                        } else {
                          answer.completeExceptionally(failure);
                        }
                      });
        });
    return answer;
  }

  private CompletableFuture<Link> link(String address) {
    CompletableFuture<Link> link = links.get(address);
    if (link == null || link.isCompletedExceptionally()) {
      link = SimClient.connect(world.network, process.name(), address, loop, new Lost(address));
      links.put(address, link);
    }
    return link;
  }

  private final class Lost implements PushReceiver {
    private final String address;

    Lost(String address) {
      this.address = address;
    }

    @Override
    public void pushed(Frame frame) {
      // Nothing is pushed to a client without a session.
    }

    @Override
    public void lost(ConnectionException reason) {
      links.remove(address);
    }
  }

  /**
   * Retries until a node carries out the request or refuses it for good. Like the SDK's, the
   * request has an id, so that a retry after an unknown outcome does not repeat its effect.
   */
  CompletableFuture<Frame> askAll(Operation operation, Control request) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    byte[] payload = Json.encode(request, process.name() + "-" + ++lastRequest);
    askAll(operation, payload, Optional.empty(), answer);
    return answer;
  }

  /** That node, or any. */
  Endpoint node(Optional<Endpoint> at) {
    List<Endpoint> all = world.endpoints();
    return at.orElseGet(() -> all.get(process.random().nextInt(all.size())));
  }

  /** Does something on the client's loop, later. */
  void later(long nanos, Runnable action) {
    loop.thread().after(nanos, action);
  }

  private static boolean isForGood(Throwable failure) {
    return failure instanceof RefusedException refused
        && !refused.retriable()
        && refused.code() != ErrorCode.OUTCOME_UNKNOWN;
  }

  private void askAll(
      Operation operation, byte[] payload, Optional<Endpoint> at, CompletableFuture<Frame> answer) {
    Endpoint node = node(at);
    var unused =
        ask(node, operation, payload)
            .whenComplete(
                (frame, failure) -> {
                  if (failure == null) {
                    answer.complete(frame);
                    return;
                  }
                  Throwable cause = cause(failure);
                  if (isForGood(cause)) {
                    answer.completeExceptionally(cause);
                    return;
                  }
                  loop.thread()
                      .after(PAUSE_NANOS, () -> askAll(operation, payload, leader(cause), answer));
                });
  }

  /** Where a refusal says that it would be done. */
  static Optional<Endpoint> leader(Throwable failure) {
    return cause(failure) instanceof RefusedException refused
        ? Endpoint.told(refused.leader())
        : Optional.empty();
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
