package io.tunnel.sdk.worker;

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
    return Json.encode(
        new StopChannel(assignment.handle(), assignment.epoch(), String.valueOf(reason)));
  }
}
