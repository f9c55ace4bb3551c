package io.tunnel.sdk.worker;

import io.tunnel.model.RefusedException;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Json;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.StopChannel;

/** What the session's server is told when a channel is given back. */
final class LastWords {

  private LastWords() {}

  static byte[] release(Assignment assignment) {
    return new ChannelRef(assignment.handle(), assignment.epoch()).encode();
  }

  static byte[] stop(Assignment assignment, Throwable reason) {
    return Json.encode(new StopChannel(assignment.handle(), assignment.epoch(), text(reason)));
  }

  /** What a node refused is told in the words that a server has for its own reasons. */
  private static String text(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.code() + ": " + refused.getMessage()
        : String.valueOf(reason);
  }
}
