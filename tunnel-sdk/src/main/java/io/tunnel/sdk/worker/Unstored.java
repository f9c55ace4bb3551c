package io.tunnel.sdk.worker;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.control.SessionControl.Assignment;

/** Why a processor's checkpoint is not stored, as far as the worker knows that by itself. */
final class Unstored {

  private Unstored() {}

  static RefusedException fenced(Assignment assignment) {
    return new RefusedException(
        ErrorCode.FENCED,
        "channel "
            + assignment.channelId()
            + " is no longer held under epoch "
            + assignment.epoch());
  }

  static IllegalArgumentException without(long position) {
    return new IllegalArgumentException(
        "token "
            + position
            + " lies inside the first rows of the channel, and was given by no input: which row"
            + " stands there is not known");
  }

  static RefusedException behind(long position, long checkpointed) {
    return new RefusedException(
        ErrorCode.INVALID_CHECKPOINT,
        "position " + position + " lies before the checkpoint at " + checkpointed);
  }
}
