package io.tunnel.sdk.worker;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.worker.input.Retrying;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The requests by which a worker stores the progress of a channel and gives the channel back. */
final class ChannelRequests {

  /** Pause before the last checkpoint or the release of a channel is retried. */
  static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Pause before the checkpoint of a settled position is retried. */
  static final long SETTLED_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private ChannelRequests() {}

  /** Stores a checkpoint together with the skipped changes up to its position. */
  static CompletableFuture<Frame> store(Link link, Checkpoint at, List<Skip> skipped) {
    return skipped.isEmpty()
        ? link.request(Operation.CHECKPOINT, at.encode())
        : link.request(
            Operation.CHECKPOINT_SKIPPING,
            Json.encode(
                new SkippingCheckpoint(at.handle(), at.epoch(), at.position(), at.key(), skipped)));
  }

  /**
   * True when a retry may help. A lost connection ends the session anyway; but if only the answer
   * was late, the connection may carry the next request.
   */
  static boolean mayRetry(Throwable reason) {
    return reason instanceof ConnectionException
        || (reason instanceof RefusedException refused && refused.retriable());
  }

  /** Gives the channel back. */
  static CompletableFuture<Frame> release(Link link, Assignment assignment) {
    return link.request(
        Operation.RELEASE, new ChannelRef(assignment.handle(), assignment.epoch()).encode());
  }

  /** Gives the channel back, to wait for an operator. */
  static CompletableFuture<Frame> stop(
      Link link, Assignment assignment, Throwable reason, Optional<FailedChange> at) {
    return link.request(
        Operation.STOP_CHANNEL,
        Json.encode(
            new StopChannel(
                assignment.handle(),
                assignment.epoch(),
                text(reason),
                at.map(Retrying::wire),
                reason instanceof RefusedException refused
                    ? Optional.of(refused.code())
                    : Optional.empty())));
  }

  /** A refusal as servers write their own reasons: code and message. */
  private static String text(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.code() + ": " + refused.getMessage()
        : String.valueOf(reason);
  }
}
