package io.tunnel.server.channel;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The refusals of channels that cannot continue. */
public final class Failure {

  private static final Logger LOGGER = LoggerFactory.getLogger(Failure.class);

  private Failure() {}

  /** The refusal for the worker; logs the cause. */
  public static RefusedException of(int partition, Throwable cause) {
    RefusedException reason = reason(cause);
    if (cause instanceof RefusedException refused && refused.retriable()) {
      LOGGER.info(
          "stopped delivering partition {}: {}; its worker or reader will retry",
          partition,
          cause.getMessage());
    } else {
      LOGGER.error("cannot deliver partition {}; told its worker or reader", partition, cause);
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
