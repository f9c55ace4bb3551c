package io.tunnel.sdk.worker;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.processor.FailedChange;
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

/** What the session's server is told of a channel in trouble, or given back. */
final class LastWords {

  /** Between two tries of a last word that was not heard. */
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Before a position behind which nothing came is stored once more. */
  static final long SETTLED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private LastWords() {}

  /** A checkpoint, with the changes that it passes and that were left out. */
  static CompletableFuture<Frame> store(ChannelPort port, Checkpoint at, List<Skip> skipped) {
    return skipped.isEmpty()
        ? port.request(Operation.CHECKPOINT, at.encode())
        : port.request(
            Operation.CHECKPOINT_SKIPPING,
            Json.encode(
                new SkippingCheckpoint(at.handle(), at.epoch(), at.position(), at.key(), skipped)));
  }

  /**
   * Whether to say it again: a lost connection ends the session, but one on which an answer was
   * late may carry the next.
   */
  static boolean mayHelp(Throwable reason) {
    return reason instanceof ConnectionException
        || (reason instanceof RefusedException refused && refused.retriable());
  }

  static byte[] release(Assignment assignment) {
    return new ChannelRef(assignment.handle(), assignment.epoch()).encode();
  }

  static byte[] stop(Assignment assignment, Throwable reason, Optional<FailedChange> at) {
    return Json.encode(
        new StopChannel(
            assignment.handle(),
            assignment.epoch(),
            text(reason),
            at.map(Retrying::wire),
            reason instanceof RefusedException refused
                ? Optional.of(refused.code())
                : Optional.empty()));
  }

  /** What a node refused is told in the words that a server has for its own reasons. */
  private static String text(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.code() + ": " + refused.getMessage()
        : String.valueOf(reason);
  }
}
