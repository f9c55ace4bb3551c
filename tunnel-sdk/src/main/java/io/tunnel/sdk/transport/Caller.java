package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Requests that are repeated until they succeed, are refused for good, or the retry deadline has
 * passed. Thread-safe; futures complete on the connector's event loop.
 */
public final class Caller {

  private static final long PAUSE_FIRST_MS = 10;
  private static final long PAUSE_MS_MAX = 500;

  private final Connector connector;
  private final Ticker ticker;
  private final RandomGenerator jitter = SystemClock.jitter();
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);

  /** Calls that wait for their next attempt; belongs to the event loop. */
  private final Set<Call> pausing = new HashSet<>();

  /** Requests over that connector's connection. */
  public Caller(Connector connector, Ticker ticker) {
    this.connector = connector;
    this.ticker = ticker;
    connector.onClose(this::failPausing);
  }

  private void failPausing() {
    List<Call> waiting = new ArrayList<>(pausing);
    pausing.clear();
    for (Call call : waiting) {
      call.answer.completeExceptionally(call.lastFailure);
    }
  }

  /**
   * A request that changes nothing, or nothing more when it arrives twice: it is also repeated when
   * whether it arrived is not known.
   */
  public CompletableFuture<Frame> read(Operation operation, byte[] payload) {
    return start(new Call(operation, payload, true));
  }

  /** A request that changes something: it is repeated only when it certainly was not applied. */
  public CompletableFuture<Frame> change(Operation operation, byte[] payload) {
    return start(new Call(operation, payload, false));
  }

  /**
   * {@link #read}, and waits for the answer's payload.
   *
   * @throws IllegalStateException on a callback thread; nothing was sent then
   */
  public byte[] awaitRead(Operation operation, byte[] payload) {
    EventLoops.requireMayBlock("waiting for " + operation);
    return await(read(operation, payload)).payload();
  }

  /**
   * {@link #change}, and waits for the answer's payload.
   *
   * @throws IllegalStateException on a callback thread; nothing was sent then
   */
  public byte[] awaitChange(Operation operation, byte[] payload) {
    EventLoops.requireMayBlock("waiting for " + operation);
    return await(change(operation, payload)).payload();
  }

  private CompletableFuture<Frame> start(Call call) {
    long nowNanos = ticker.nanos();
    call.deadlineNanos = nowNanos + connector.config().retryDeadline().toNanos();
    attempt(call);
    return call.answer;
  }

  private void attempt(Call call) {
    var unused =
        connector
            .connection()
            .thenCompose(connection -> connection.request(call.operation, call.payload))
            .whenComplete(
                (frame, failure) -> {
                  if (failure == null) {
                    call.answer.complete(frame);
                  } else {
                    onLoop(() -> failed(call, unwrap(failure)), call);
                  }
                });
  }

  private void onLoop(Runnable task, Call call) {
    EventLoop loop = connector.loop();
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

  private void failed(Call call, Throwable failure) {
    call.failures++;
    long pause = backoff.pauseNanos(call.failures, jitter.nextDouble());
    boolean inTime = ticker.nanos() + pause - call.deadlineNanos < 0;
    if (inTime && !connector.isClosed() && mayRepeat(call, failure)) {
      call.lastFailure = failure;
      pausing.add(call);
      var unused = connector.loop().schedule(() -> resume(call), pause, TimeUnit.NANOSECONDS);
    } else {
      call.answer.completeExceptionally(failure);
    }
  }

  private void resume(Call call) {
    if (pausing.remove(call)) {
      attempt(call);
    }
  }

  private static boolean mayRepeat(Call call, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.retriable();
    }
    return failure instanceof ConnectionException lost && (lost.retriable() || call.isRead);
  }

  /** What was thrown, without what the JDK's futures wrap around it. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /**
   * Waits for an answer.
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
      if (unwrap(e) instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** One request with its attempts; belongs to the event loop. */
  private static final class Call {
    final Operation operation;
    final byte[] payload;
    final boolean isRead;
    final CompletableFuture<Frame> answer = new CompletableFuture<>();
    long deadlineNanos;
    int failures;
    Throwable lastFailure;

    Call(Operation operation, byte[] payload, boolean isRead) {
      this.operation = operation;
      this.payload = payload;
      this.isRead = isRead;
    }
  }
}
