package io.tunnel.sdk.worker;

import io.tunnel.model.Bytes;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.FailedChange;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.FailureControl.Skip;
import io.tunnel.wire.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.Json;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.StopChannel;
import java.util.List;
import java.util.Optional;

/** What the session's server is told of a channel in trouble, or given back. */
final class LastWords {

  private LastWords() {}

  /** A checkpoint, with the changes that it passes and that were left out. */
  static byte[] skipping(Assignment assignment, long position, Bytes key, List<Skip> skipped) {
    return Json.encode(
        new SkippingCheckpoint(assignment.handle(), assignment.epoch(), position, key, skipped));
  }

  static byte[] release(Assignment assignment) {
    return new ChannelRef(assignment.handle(), assignment.epoch()).encode();
  }

  static byte[] stop(Assignment assignment, Throwable reason, Optional<FailedChange> at) {
    return Json.encode(
        new StopChannel(
            assignment.handle(), assignment.epoch(), text(reason), at.map(Retrying::wire)));
  }

  /** What a node refused is told in the words that a server has for its own reasons. */
  private static String text(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.code() + ": " + refused.getMessage()
        : String.valueOf(reason);
  }
}
