package io.tunnel.sdk.processor;

import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.tunnel.RetryInfo;

/**
 * Hears what a worker does. Called by one thread at a time, never the worker's own, in the order in
 * which things happened. It may be slow: up to 1,000 notices wait for it, then further ones are
 * dropped, and {@link #missed} says how many. What it throws is logged and changes nothing. The end
 * of a worker does not wait for it: the last notices may come after {@link TunnelWorker#shutdown}
 * has returned.
 */
public interface ITunnelWorkerListener {

  /** Why a channel was closed. */
  enum CloseReason {
    /** The worker was shut down. */
    SHUTDOWN,
    /** The server wanted it for another worker, or an operator paused it. */
    GIVEN_BACK,
    /** Everything there is was processed. */
    FINISHED,
    /** It waits for an operator, see {@link #channelStopped}. */
    STOPPED,
    /** It belonged to somebody else already. */
    FENCED,
    /** The session was lost. */
    LOST
  }

  /**
   * The worker connects and opens a session.
   *
   * @param attempt 1 for the first since it last had a session in good health
   */
  default void connecting(int attempt) {}

  /** The worker has a session. */
  default void sessionOpened(String sessionId) {}

  /** The session is gone, or could not be opened; the worker tries again after a pause. */
  default void sessionLost(Throwable reason, long retryInMs) {}

  /** The worker stops for a reason that waiting does not cure. */
  default void halted(Throwable reason) {}

  /** A channel is processed from now on. */
  default void channelOpened(String channelId, long epoch) {}

  /** A channel that was opened is no longer this worker's. */
  default void channelClosed(String channelId, CloseReason why) {}

  /**
   * A processor threw, or could not be made.
   *
   * @param attempt how often it has at this input
   * @param willRetry whether it is tried again
   */
  default void processingFailed(
      String channelId, int attempt, Throwable error, boolean willRetry) {}

  /** What a processor threw at is tried again after a pause; told beside processingFailed. */
  default void retrying(String channelId, RetryInfo retry) {}

  /**
   * A change was left out, as the failure policy said. It is stored, and then in the description of
   * the tunnel, with the next checkpoint.
   */
  default void changeSkipped(String channelId, FailedChange change, Throwable error) {}

  /** A channel cannot go on and waits for an operator. */
  default void channelStopped(String channelId, Throwable error) {}

  /** That many notices were dropped at this place, because the listener was too slow. */
  default void missed(int notices) {}
}
