package io.tunnel.server.replica;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.wire.WriteResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells writers what became of their writes; one that cannot be told is its own trouble. */
final class Answers {

  private static final Logger LOGGER = LoggerFactory.getLogger(Answers.class);

  private Answers() {}

  static void written(PendingWrite write, WriteResult result) {
    try {
      write.outcome().written(result);
    } catch (RuntimeException e) {
      LOGGER.error("a write was committed but its writer could not be told", e);
    }
  }

  static void refused(PendingWrite write, RefusedException reason) {
    try {
      write.outcome().refused(reason);
    } catch (RuntimeException e) {
      LOGGER.error("a write was refused but its writer could not be told", e);
    }
  }

  static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOGGER.error("a task on a shard's thread failed", e);
    }
  }

  static RefusedException unavailable() {
    return new RefusedException(
        ErrorCode.LOG_UNAVAILABLE,
        "the log that the nodes share cannot be reached; nothing was written, try again later");
  }

  static RefusedException unknown(String why) {
    return new RefusedException(
        ErrorCode.STORAGE_FAILED, why + "; whether this was written is not known");
  }

  static RefusedException stopping() {
    return new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
  }
}
