package io.tunnel.sdk.worker.channel;

import java.util.EnumSet;
import java.util.Set;

/** States of a channel from its assignment to its end. */
public enum ChannelState {
  /** Assigned; a former holding of the channel in this process has not ended. */
  WAITING,
  /** Its processor is being made. */
  OPENING,
  /** Making the processor failed; will retry after a pause. */
  OPEN_PAUSING,
  /** The channel receives and processes changes. */
  RUNNING,
  /** Ending: the running callback may finish. */
  DRAINING,
  /** Ending: the processor is being told the reason. */
  TELLING,
  /** Ending: the processor was told; only the callback of a lost channel may still run. */
  TOLD,
  /** All changes are processed, but the processor has not checkpointed them. */
  HOLDING,
  /** Ending: the processor is being shut down. */
  STOPPING,
  /** Ending: the last checkpoint is being stored. */
  CHECKPOINTING,
  /** Storing the last checkpoint failed; will retry after a pause. */
  CHECKPOINT_PAUSING,
  /** Ending: the worker has to give the channel back. */
  RELEASING,
  /** Ending: the server is asked to take the channel back. */
  RELEASE_ASKED,
  /** The server did not take the channel back; will retry after a pause. */
  RELEASE_PAUSING,
  /** The server has taken the channel back. */
  RELEASED,
  /** The worker no longer holds the channel. */
  CLOSED;

  /** The states that may follow. */
  Set<ChannelState> next() {
    return switch (this) {
      case WAITING -> EnumSet.of(OPENING, RELEASING);
      case OPENING -> EnumSet.of(OPEN_PAUSING, RUNNING, DRAINING, RELEASING);
      case OPEN_PAUSING -> EnumSet.of(OPENING, RELEASING);
      case RUNNING -> EnumSet.of(DRAINING);
      case DRAINING -> EnumSet.of(TELLING);
      case TELLING -> EnumSet.of(TOLD);
      case TOLD -> EnumSet.of(HOLDING);
      case HOLDING -> EnumSet.of(STOPPING);
      case STOPPING -> EnumSet.of(CHECKPOINTING);
      case CHECKPOINTING -> EnumSet.of(CHECKPOINT_PAUSING, RELEASING);
      case CHECKPOINT_PAUSING -> EnumSet.of(CHECKPOINTING, RELEASING);
      case RELEASING -> EnumSet.of(RELEASE_ASKED, CLOSED);
      case RELEASE_ASKED -> EnumSet.of(RELEASE_PAUSING, RELEASING, RELEASED, CLOSED);
      case RELEASE_PAUSING -> EnumSet.of(RELEASING, CLOSED);
      case RELEASED -> EnumSet.of(CLOSED);
      case CLOSED -> EnumSet.noneOf(ChannelState.class);
    };
  }

  /** Whether its progress is settled: what the processor still says of it comes too late. */
  public boolean isPastCheckpoints() {
    return compareTo(RELEASING) >= 0;
  }

  /** The state in one word, for users. */
  public String shown() {
    return switch (this) {
      case OPEN_PAUSING -> OPENING.name();
      case TELLING, TOLD -> DRAINING.name();
      case CHECKPOINT_PAUSING -> CHECKPOINTING.name();
      case RELEASE_ASKED, RELEASE_PAUSING, RELEASED -> RELEASING.name();
      case WAITING,
          OPENING,
          RUNNING,
          DRAINING,
          HOLDING,
          STOPPING,
          CHECKPOINTING,
          RELEASING,
          CLOSED ->
          name();
    };
  }
}
