package io.tunnel.sdk.worker;

import java.util.EnumSet;
import java.util.Set;

/** Where a channel stands between its assignment and its end. */
enum ChannelState {
  /** Assigned; a former holding in this process has to end first. */
  WAITING,
  /** Its processor is being made. */
  OPENING,
  /** Changes are received and processed. */
  RUNNING,
  /** It ends: the running callback is let finish, and the processor is told why. */
  DRAINING,
  /** Everything was processed: the processor has yet to checkpoint that. */
  HOLDING,
  /** It ends: the processor is being stopped. */
  STOPPING,
  /** It ends: the last checkpoint is being stored. */
  CHECKPOINTING,
  /** It ends: it is being given back. */
  RELEASING,
  /** It is no longer ours. */
  CLOSED;

  Set<ChannelState> next() {
    return switch (this) {
      case WAITING -> EnumSet.of(OPENING, RELEASING);
      case OPENING -> EnumSet.of(RUNNING, DRAINING, RELEASING);
      case RUNNING -> EnumSet.of(DRAINING);
      case DRAINING -> EnumSet.of(HOLDING);
      case HOLDING -> EnumSet.of(STOPPING);
      case STOPPING -> EnumSet.of(CHECKPOINTING);
      case CHECKPOINTING -> EnumSet.of(RELEASING);
      case RELEASING -> EnumSet.of(CLOSED);
      case CLOSED -> EnumSet.noneOf(ChannelState.class);
    };
  }
}
