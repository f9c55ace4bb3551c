package io.tunnel.sdk.worker.channel;

import java.util.EnumSet;
import java.util.Set;

/** What is done with the input of a channel that was begun last. */
enum InputState {
  /** Nothing: there was none, or it is over. */
  NONE,
  /** The processor has it. */
  PROCESSING,
  /** The processor threw; after a pause it is given the input again. */
  PAUSING;

  Set<InputState> next() {
    return switch (this) {
      case NONE -> EnumSet.of(PROCESSING);
      case PROCESSING -> EnumSet.of(PAUSING, NONE);
      case PAUSING -> EnumSet.of(PROCESSING, NONE);
    };
  }
}
