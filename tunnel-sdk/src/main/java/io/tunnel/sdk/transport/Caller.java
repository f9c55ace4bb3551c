package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests, and retries each until the server answers, refuses for good, or the retry
 * deadline has passed. In a cluster, a refusal may name the node that decides: the first redirect
 * is followed at once, further ones after the pause of any other failure, so that two nodes that
 * name each other cannot keep a client spinning. Thread-safe; futures complete on the event loop of
 * the connections.
 */
public final class Caller {

  private static final long PAUSE_FIRST_MS = 10;
  private static final long PAUSE_MS_MAX = 500;

  private final Nodes nodes;
  private final Ticker ticker;
  private final Leaders leaders = new Leaders();
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);

  /** Calls that wait for their next attempt; belongs to the event loop. */
  private final Set<Call> pausing = new HashSet<>();

  /** Waits of {@link #pause}; belongs to the event loop. */
  private final Set<Pause> pauses = new HashSet<>();

  /** A caller over the connections of {@code nodes}. */
  public Caller(Nodes nodes) {
    this.nodes = nodes;
    this.ticker = nodes.port().ticker();
    nodes.onClose(this::failPausing);
  }

  private void failPausing() {
    List<Call> waiting = new ArrayList<>(pausing);
    pausing.clear();
    for (Call call : waiting) {
      call.answer.completeExceptionally(call.explained(call.lastFailure));
    }
    List.copyOf(pauses).forEach(pause -> pause.over.completeExceptionally(Connector.closed()));
    pauses.clear();
  }

  /**
   * Sends a request. A request that certainly was not applied is always retried; a request in doubt
   * is retried only if its {@linkplain Operation#repeat operation} allows a repetition.
   */
  public CompletableFuture<Frame> ask(Subject subject, Operation operation, byte[] payload) {
    return start(new Call(subject, Optional.empty(), operation, payload, false));
  }

  /** As {@link #ask}, for a question that any node can answer. */
  public CompletableFuture<Frame> ask(Operation operation, byte[] payload) {
    return ask(Subject.of(operation), operation, payload);
  }

  /** As {@link #ask}, for a question that only {@code node} can answer. */
  public CompletableFuture<Frame> askAt(Endpoint node, Operation operation, byte[] payload) {
    return start(new Call(Subject.of(operation), Optional.of(node), operation, payload, false));
  }

  /** Sends a request to {@code node} once, without retries. */
  public CompletableFuture<Frame> askOnce(Endpoint node, Operation operation, byte[] payload) {
    return nodes
        .connection(Optional.of(node))
        .thenCompose(connection -> connection.read(operation, payload));
  }

  /**
   * Sends a request once, without retries, to the node that answers what any node can answer.
   * Completes with the answer and the time since the sending; opening a connection is no part of
   * the time.
   */
  public CompletableFuture<Timed> askTimed(Operation operation, byte[] payload) {
    return nodes
        .connection(Optional.empty())
        .thenCompose(
            connection -> {
              long sentNanos = ticker.nanos();
              return connection
                  .request(operation, payload)
                  .thenApply(frame -> new Timed(frame, ticker.nanos() - sentNanos));
            });
  }

  /** An answer, and the nanoseconds between the request and the answer. */
  public record Timed(Frame answer, long tookNanos) {}

  /**
   * Sends a change of tables or tunnels with a request id. The server applies each id once, so the
   * request is retried also when in doubt. It fails with OUTCOME_UNKNOWN if the doubt remains when
   * the retry deadline has passed.
   *
   * @throws IllegalArgumentException for an operation whose requests have no id
   */
  public CompletableFuture<Frame> changeOnce(
      Subject subject, Operation operation, Control payload) {
    if (!operation.repeat().takesId()) {
      throw new IllegalArgumentException("requests of " + operation + " have no id");
    }
    byte[] named = Json.encode(payload, nodes.port().newRequestId());
    return start(new Call(subject, Optional.empty(), operation, named, true));
  }

  /**
   * As {@link #ask}; waits for the answer's payload.
   *
   * @throws IllegalStateException on a callback thread; nothing was sent then
   */
  public byte[] awaitAnswer(Subject subject, Operation operation, byte[] payload) {
    EventLoops.requireMayBlock("waiting for " + operation);
    return await(ask(subject, operation, payload)).payload();
  }

  /** As {@link #awaitAnswer}, for a question that any node can answer. */
  public byte[] awaitAnswer(Operation operation, byte[] payload) {
    return awaitAnswer(Subject.of(operation), operation, payload);
  }

  /**
   * As {@link #changeOnce}; waits for the answer's payload.
   *
   * @throws IllegalStateException on a callback thread; nothing was sent then
   */
  public byte[] awaitChangeOnce(Subject subject, Operation operation, Control payload) {
    EventLoops.requireMayBlock("waiting for " + operation);
    return await(changeOnce(subject, operation, payload)).payload();
  }

  /** Notes the node that decides about a subject, as a partition map or another node named it. */
  public void learn(Subject subject, Endpoint leader) {
    nodes.learn(leader);
    leaders.learn(subject, leader);
  }

  /** Random bytes that nobody can predict, and that never repeat. */
  public Bytes secret(int bytes) {
    return nodes.port().secret(bytes);
  }

  private CompletableFuture<Frame> start(Call call) {
    long nowNanos = ticker.nanos();
    call.deadlineNanos = nowNanos + nodes.config().retryDeadline().toNanos();
    attempt(call);
    return call.answer;
  }

  private void attempt(Call call) {
    call.asked = call.only.isPresent() ? call.only : leaders.of(call.subject);
    call.connection = null;
    var unused =
        nodes
            .connection(call.asked)
            .thenCompose(
                connection -> {
                  call.connection = connection;
                  return call.mayArriveTwice
                      ? connection.read(call.operation, call.payload)
                      : connection.request(call.operation, call.payload);
                })
            .whenComplete(
                (frame, failure) -> {
                  if (failure == null) {
                    call.answer.complete(frame);
                  } else {
                    onLoop(() -> failedOnce(call, unwrap(failure)), call);
                  }
                });
  }

  private void onLoop(Runnable task, Call call) {
    EventLoop loop = nodes.loop();
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      call.answer.completeExceptionally(new ConnectionException("the client is closed", false, e));
    }
  }

  /** As {@link #failed}; an error on the way ends the call, for which somebody waits. */
  private void failedOnce(Call call, Throwable failure) {
    try {
      failed(call, failure);
    } catch (Throwable e) {
      e.addSuppressed(failure);
      call.answer.completeExceptionally(e);
    }
  }

  private void failed(Call call, Throwable failure) {
    call.isInDoubt |= call.isOnce && isInDoubt(failure);
    if (call.only.isEmpty() && isSentOnAtOnce(call, failure)) {
      attempt(call);
      return;
    }
    call.failures++;
    long pause = backoff.pauseNanos(call.failures, nodes.port().chance().nextDouble());
    boolean inTime = ticker.nanos() + pause - call.deadlineNanos < 0;
    if (inTime && !nodes.isClosed() && mayRepeat(call, failure)) {
      call.lastFailure = failure;
      pausing.add(call);
      var unused = nodes.loop().schedule(() -> resume(call), pause, TimeUnit.NANOSECONDS);
    } else {
      call.answer.completeExceptionally(call.explained(failure));
    }
  }

  /** Learns from the failure which node to ask next. Returns whether to ask at once. */
  private boolean isSentOnAtOnce(Call call, Throwable failure) {
    Optional<Endpoint> leader =
        failure instanceof RefusedException refused
            ? Endpoint.told(refused.leader())
            : Optional.empty();
    if (leader.isPresent()) {
      learn(call.subject, leader.get());
      call.hops++;
      return call.hops == 1 && !leader.equals(call.asked) && !nodes.isClosed();
    }
    boolean isBusy =
        failure instanceof RefusedException refused && refused.code() == ErrorCode.BUSY;
    if (failure instanceof ConnectionException) {
      leaders.forget(call.subject, call.asked);
    } else if (mayRepeat(call, failure) && !isBusy) {
      leaders.forget(call.subject, call.asked);
      nodes.leaveHome(call.connection);
    }
    return false;
  }

  private void resume(Call call) {
    if (pausing.remove(call)) {
      attempt(call);
    }
  }

  /**
   * Completes after the pause that follows {@code failures} failures; fails when the client closes.
   */
  public CompletableFuture<Void> pause(int failures) {
    Pause pause = new Pause();
    long nanos = backoff.pauseNanos(failures, 0);
    try {
      nodes.loop().execute(() -> begin(pause, nanos));
    } catch (RejectedExecutionException e) {
      pause.over.completeExceptionally(Connector.closed());
    }
    return pause.over;
  }

  private void begin(Pause pause, long nanos) {
    if (nodes.isClosed()) {
      pause.over.completeExceptionally(Connector.closed());
      return;
    }
    pauses.add(pause);
    var unused =
        nodes
            .loop()
            .schedule(
                () -> {
                  pauses.remove(pause);
                  pause.over.complete(null);
                },
                nanos,
                TimeUnit.NANOSECONDS);
  }

  /** Whether the server may have applied the request, or may still apply it. */
  private static boolean isInDoubt(Throwable failure) {
    return failure instanceof RefusedException refused
        ? refused.code() == ErrorCode.OUTCOME_UNKNOWN
        : failure instanceof ConnectionException lost && !lost.retriable() && !lost.isLasting();
  }

  private static boolean mayRepeat(Call call, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.retriable() || (call.isOnce && isInDoubt(refused));
    }
    return failure instanceof ConnectionException lost
        && !lost.isLasting()
        && (lost.retriable() || call.mayArriveTwice);
  }

  /** The original failure, without the exceptions that the JDK's futures wrap around a failure. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /**
   * Waits for an answer. A failure is {@linkplain Rethrown thrown anew} here.
   *
   * @throws IllegalStateException on a callback thread
   */
  public static <T> T await(CompletableFuture<T> answer) {
    if (!answer.isDone()) {
      EventLoops.requireMayBlock("waiting for an answer");
    }
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw Rethrown.here(unwrap(e));
    }
  }

  /** A wait until a pause is over. */
  private static final class Pause {
    final CompletableFuture<Void> over = new CompletableFuture<>();
  }

  /** One request with its attempts; belongs to the event loop. */
  private static final class Call {
    final Subject subject;
    final Optional<Endpoint> only;
    final Operation operation;
    final byte[] payload;
    final CompletableFuture<Frame> answer = new CompletableFuture<>();

    /** Whether the request has an id, so that the server applies repetitions only once. */
    final boolean isOnce;

    /** Whether the request is retried when in doubt. */
    final boolean mayArriveTwice;

    /** Whether an attempt so far may have been applied. */
    boolean isInDoubt;

    long deadlineNanos;
    int failures;
    int hops;
    Throwable lastFailure;

    /** The node that the present attempt asks; empty for any node. */
    Optional<Endpoint> asked = Optional.empty();

    /** The connection of the present attempt, once open. */
    Connection connection;

    Call(
        Subject subject,
        Optional<Endpoint> only,
        Operation operation,
        byte[] payload,
        boolean isOnce) {
      this.subject = subject;
      this.only = only;
      this.operation = operation;
      this.payload = payload;
      this.isOnce = isOnce;
      this.mayArriveTwice = isOnce || operation.repeat().isFree();
    }

    /**
     * The failure to end the call with; tells of a doubt that remains, or of the redirects so far.
     */
    Throwable explained(Throwable failure) {
      if (isInDoubt && mayRepeat(this, failure)) {
        return new RefusedException(
            ErrorCode.OUTCOME_UNKNOWN,
            "the outcome of "
                + operation
                + " is unknown, and no node answered a retry in time: look at the result before"
                + " you try again; the last attempt failed with: "
                + failure.getMessage());
      }
      return hops > 1
              && failure instanceof RefusedException refused
              && refused.code() == ErrorCode.NOT_LEADER
          ? RefusedException.notLeader(
              operation
                  + " was sent on "
                  + hops
                  + " times, and none of the nodes decides about "
                  + subject.name()
                  + "; the last said: "
                  + refused.getMessage(),
              refused.leader())
          : failure;
    }
  }
}
