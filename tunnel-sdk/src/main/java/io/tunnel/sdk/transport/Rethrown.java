package io.tunnel.sdk.transport;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import java.util.concurrent.CompletionException;

/**
 * Failures that a thread of the SDK met, for the thread that waited: an exception of the kind and
 * the words, with the stack of the waiting thread, and the first exception as its cause. Without
 * that a program's trace would have no line of the program.
 */
public final class Rethrown {

  private Rethrown() {}

  /** An exception to be thrown by the calling thread. */
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
