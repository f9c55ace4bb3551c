package io.tunnel.server.replica;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/** What writers are told when the shared log leaves their leader without an answer. */
final class WriteAnswers {

  private WriteAnswers() {}

  static RefusedException unavailable() {
    return new RefusedException(
        ErrorCode.LOG_UNAVAILABLE,
        "the log that the nodes share cannot be reached; nothing was written, try again later");
  }

  static RefusedException unknown(String why) {
    return new RefusedException(
        ErrorCode.STORAGE_FAILED, why + "; whether this was written is not known");
  }
}
