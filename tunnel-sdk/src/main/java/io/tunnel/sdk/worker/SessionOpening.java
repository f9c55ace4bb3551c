package io.tunnel.sdk.worker;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.PartitionDelivery;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.worker.thread.Links;
import io.tunnel.sdk.worker.thread.Relay;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Opens sessions at the node that coordinates the tunnel's sessions. Any node names the
 * coordinator; the class follows one redirection, and fails after a second one, so that the worker
 * pauses. Remembers the coordinator for the next session. Runs on the worker's thread.
 */
final class SessionOpening {

  private final WorkerRuntime runtime;
  private Optional<Endpoint> coordinator = Optional.empty();

  SessionOpening(WorkerRuntime runtime) {
    this.runtime = runtime;
  }

  /** Forgets a lost coordinator: any other node names its successor. */
  void forget() {
    coordinator = Optional.empty();
  }

  /**
   * Opens a session.
   *
   * @param receiver receives the pushes and the loss of the session's connection
   * @param onLink receives each opened connection before its first request
   */
  CompletableFuture<Frame> open(byte[] request, PushReceiver receiver, Consumer<Link> onLink) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    attempt(new Attempt(request, receiver, onLink, answer), true);
    return answer;
  }

  private void attempt(Attempt attempt, boolean mayFollow) {
    Relay relay = new Relay(attempt.receiver);
    Optional<Endpoint> asked = coordinator;
    Links links = runtime.ports().links();
    CompletableFuture<Link> opening =
        asked.isPresent() ? links.open(asked.get(), relay) : links.open(relay);
    var unused =
        opening
            .thenCompose(
                link -> {
                  attempt.onLink.accept(link);
                  return link.request(Operation.OPEN_SESSION, attempt.request)
                      .whenComplete(
                          (answer, failure) -> {
                            if (failure != null) {
                              relay.cut();
                              link.close();
                            }
                          });
                })
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(
                        () -> {
                          if (failure == null) {
                            attempt.answer.complete(answer);
                          } else {
                            failed(attempt, Caller.unwrap(failure), asked, mayFollow);
                          }
                        }));
  }

  private void failed(
      Attempt attempt, Throwable failure, Optional<Endpoint> asked, boolean mayFollow) {
    Optional<Endpoint> leader = PartitionDelivery.leaderIn(failure);
    coordinator = leader;
    leader.ifPresent(runtime.ports().links()::learn);
    if (leader.isPresent() && !leader.equals(asked) && mayFollow) {
      attempt(attempt, false);
    } else {
      attempt.answer.completeExceptionally(failure);
    }
  }

  /** One attempt to open a session; not a record, because records hold no arrays. */
  private static final class Attempt {
    final byte[] request;
    final PushReceiver receiver;
    final Consumer<Link> onLink;
    final CompletableFuture<Frame> answer;

    Attempt(
        byte[] request,
        PushReceiver receiver,
        Consumer<Link> onLink,
        CompletableFuture<Frame> answer) {
      this.request = request;
      this.receiver = receiver;
      this.onLink = onLink;
      this.answer = answer;
    }
  }
}
