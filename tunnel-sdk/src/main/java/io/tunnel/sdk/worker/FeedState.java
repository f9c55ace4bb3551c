package io.tunnel.sdk.worker;

import java.util.EnumSet;
import java.util.Set;

/** What a {@link Feed} does. */
enum FeedState {
  /** Nothing yet: the channel has no credit to give. */
  IDLE,
  /** It asks a server for deliveries. */
  ATTACHING,
  /** It is delivered to. */
  ATTACHED,
  /** It waits before it tries again. */
  PAUSING,
  /** It wants no more. */
  ENDED;

  Set<FeedState> next() {
    return switch (this) {
      case IDLE, PAUSING -> EnumSet.of(ATTACHING, ENDED);
      case ATTACHING -> EnumSet.of(ATTACHED, ATTACHING, PAUSING, ENDED);
      case ATTACHED -> EnumSet.of(ATTACHING, PAUSING, ENDED);
      case ENDED -> EnumSet.noneOf(FeedState.class);
    };
  }
}
