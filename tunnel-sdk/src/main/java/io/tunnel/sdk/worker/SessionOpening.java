package io.tunnel.sdk.worker;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.Endpoint;
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
 * Finds the node that coordinates the tunnel's sessions: any node is asked, and says which it is. A
 * word to go elsewhere is followed once; if that was no use either, the worker pauses as after any
 * failure. Remembers the node for the next session. On the worker's thread.
 */
final class SessionOpening {

  private final WorkerRuntime runtime;
  private Optional<Endpoint> coordinator = Optional.empty();

  SessionOpening(WorkerRuntime runtime) {
    this.runtime = runtime;
  }

  /** The node was lost: any other knows who takes its place. */
  void forget() {
    coordinator = Optional.empty();
  }

  /**
   * Asks for a session.
   *
   * @param receiver hears what the connection that has the session says
   * @param onLink is told of each connection that is opened, before it is used
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
    Optional<Endpoint> leader =
        failure instanceof RefusedException refused
            ? Endpoint.told(refused.leader())
            : Optional.empty();
    coordinator = leader;
    leader.ifPresent(runtime.ports().links()::learn);
    if (leader.isPresent() && !leader.equals(asked) && mayFollow) {
      attempt(attempt, false);
    } else {
      attempt.answer.completeExceptionally(failure);
    }
  }

  /** One attempt to open a session; a class, because a record has no arrays. */
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
