package io.tunnel.server.channel;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a worker is told of a channel that cannot go on. */
final class Failure {

  private static final Logger LOGGER = LoggerFactory.getLogger(Failure.class);

  private Failure() {}

  /** The reason for the worker; the cause is in the server's log. */
  static RefusedException of(int partition, Throwable cause) {
    RefusedException reason = reason(cause);
    if (cause instanceof RefusedException refused && refused.retriable()) {
      LOGGER.info("partition {} is not delivered for now: {}", partition, cause.getMessage());
    } else {
      LOGGER.error("partition {} cannot be delivered", partition, cause);
    }
    return reason;
  }

  private static RefusedException reason(Throwable cause) {
    if (cause instanceof RefusedException refused) {
      return refused;
    }
    if (cause instanceof IOException) {
      return new RefusedException(
          ErrorCode.STORAGE_FAILED, "cannot read the log: " + cause.getMessage());
    }
    return new RefusedException(
        ErrorCode.INTERNAL, "the server failed to deliver the channel: " + cause.getMessage());
  }
}
