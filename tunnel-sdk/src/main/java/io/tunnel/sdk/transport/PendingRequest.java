package io.tunnel.sdk.transport;

import io.netty.util.concurrent.ScheduledFuture;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A request without an answer. Its fields belong to the connection's event loop. */
final class PendingRequest {

  private final Operation operation;
  private final Duration deadline;
  private final boolean mayMove;
  private final CompletableFuture<Frame> answer = new CompletableFuture<>();

  /**
   * Whether the operating system has taken the whole frame: from then on the server may apply it.
   */
  boolean isSent;

  /** Bytes that the connection had received when the request was sent. */
  long receivedBefore;

  /** Fires at the deadline. */
  ScheduledFuture<?> alarm;

  PendingRequest(Operation operation, Duration deadline) {
    this(operation, deadline, false);
  }

  /**
   * A request.
   *
   * @param mayMove whether asking another server does no harm while this request may still be
   *     answered
   */
  PendingRequest(Operation operation, Duration deadline, boolean mayMove) {
    this.operation = operation;
    this.deadline = deadline;
    this.mayMove = mayMove;
  }

  boolean mayMove() {
    return mayMove;
  }

  Operation operation() {
    return operation;
  }

  Duration deadline() {
    return deadline;
  }

  CompletableFuture<Frame> answer() {
    return answer;
  }

  void complete(Frame frame) {
    stopAlarm();
    answer.complete(frame);
  }

  void fail(RuntimeException reason) {
    stopAlarm();
    answer.completeExceptionally(reason);
  }

  private void stopAlarm() {
    if (alarm != null) {
      alarm.cancel(false);
    }
  }
}
