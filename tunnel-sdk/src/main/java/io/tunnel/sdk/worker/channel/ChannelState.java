package io.tunnel.sdk.worker.channel;

import java.util.EnumSet;
import java.util.Set;

/** Where a channel stands between its assignment and its end. */
public enum ChannelState {
  /** Assigned; a former holding in this process has to end first. */
  WAITING,
  /** Its processor is being made. */
  OPENING,
  /** Its processor could not be made; after a pause that is tried again. */
  OPEN_PAUSING,
  /** Changes are received and processed. */
  RUNNING,
  /** It ends: the running callback is let finish. */
  DRAINING,
  /** It ends: the processor is being told why. */
  TELLING,
  /** It ends: the processor was told; only a callback of a channel that is lost still runs. */
  TOLD,
  /** Everything was processed: the processor has yet to checkpoint that. */
  HOLDING,
  /** It ends: the processor is being stopped. */
  STOPPING,
  /** It ends: the last checkpoint is being stored. */
  CHECKPOINTING,
  /** The last checkpoint was not stored; after a pause that is tried again. */
  CHECKPOINT_PAUSING,
  /** It ends: it is to be given back. */
  RELEASING,
  /** It ends: the server is asked to take it back. */
  RELEASE_ASKED,
  /** The server did not take it back; after a pause it is asked again. */
  RELEASE_PAUSING,
  /** The server has taken it back. */
  RELEASED,
  /** It is no longer ours. */
  CLOSED;

  /** Where it may stand next. */
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

  /** What it does in one word, as users are told. */
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
