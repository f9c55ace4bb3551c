package io.tunnel.sdk.worker;

import java.util.EnumSet;
import java.util.Set;

/** What a worker is doing. */
enum WorkerPhase {
  /** It connects and opens a session. */
  CONNECTING,
  /** It has a session. */
  WORKING,
  /** It has none, and waits before it tries again. */
  PAUSING,
  /** It lets callbacks finish and gives its channels back. */
  ENDING,
  /** It is over. */
  ENDED;

  /** Only one that cannot go on is over without an end in order. */
  Set<WorkerPhase> next() {
    return switch (this) {
      case CONNECTING -> EnumSet.of(WORKING, PAUSING, ENDING, ENDED);
      case WORKING -> EnumSet.of(PAUSING, ENDING, ENDED);
      case PAUSING -> EnumSet.of(CONNECTING, ENDING, ENDED);
      case ENDING -> EnumSet.of(ENDED);
      case ENDED -> EnumSet.noneOf(WorkerPhase.class);
    };
  }
}
