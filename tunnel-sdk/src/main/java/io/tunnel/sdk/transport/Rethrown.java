package io.tunnel.sdk.transport;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import java.util.concurrent.CompletionException;

/**
 * Turns a failure on a thread of the SDK into an exception for the waiting thread: with the same
 * type and message, the stack of the waiting thread, and the first exception as cause. Otherwise
 * the stack trace would show no line of the user's program.
 */
public final class Rethrown {

  private Rethrown() {}

  /** The exception for the calling thread to throw. */
  public static RuntimeException here(Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.again();
    }
    if (failure instanceof ConnectionException lost) {
      return lost.isLasting()
          ? ConnectionException.lasting(lost.getMessage(), lost)
          : new ConnectionException(lost.getMessage(), lost.retriable(), lost);
    }
    if (failure instanceof IllegalArgumentException wrong) {
      return new IllegalArgumentException(wrong.getMessage(), wrong);
    }
    return failure instanceof IllegalStateException state
        ? new IllegalStateException(state.getMessage(), state)
        : new CompletionException(failure);
  }
}
