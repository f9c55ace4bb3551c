package io.tunnel.sdk.processor;

import io.tunnel.sdk.tunnel.RetryInfo;

/**
 * Observes a worker. One thread at a time calls the listener, in the order of events; it is never
 * the worker's own thread. The listener may be slow: up to 1,000 notices wait, then the worker
 * drops further notices and reports their number with {@link #missed}. The worker logs exceptions
 * of the listener and goes on. A worker that ends does not wait for its listener: the last notices
 * may arrive after {@link io.tunnel.sdk.TunnelWorker#shutdown} has returned.
 */
public interface ITunnelWorkerListener {

  /** Reasons to close a channel. */
  enum CloseReason {
    /** The worker was shut down. */
    SHUTDOWN,
    /** The server asked for the channel, for another worker or because an operator paused it. */
    GIVEN_BACK,
    /** All changes of the channel are processed. */
    FINISHED,
    /** The channel waits for an operator, see {@link #channelStopped}. */
    STOPPED,
    /** The worker had lost the channel to a seek or to another worker. */
    FENCED,
    /** The worker lost its session. */
    LOST
  }

  /**
   * The worker connects and opens a session.
   *
   * @param attempt 1 for the first attempt after the last healthy session
   */
  default void connecting(int attempt) {}

  /** The worker has a session. */
  default void sessionOpened(String sessionId) {}

  /** The session is lost or could not be opened; the worker retries after {@code retryInMs}. */
  default void sessionLost(Throwable reason, long retryInMs) {}

  /** The worker stops for good, because no retry can help. */
  default void halted(Throwable reason) {}

  /** The worker begins to process a channel. */
  default void channelOpened(String channelId, long epoch) {}

  /** The worker no longer holds a channel that it had opened. */
  default void channelClosed(String channelId, CloseReason why) {}

  /**
   * A processor threw, or its factory did.
   *
   * @param attempt number of failed attempts at this input
   * @param willRetry whether the worker goes on with the input: by a retry, in parts, or without
   *     the change that fails
   */
  default void processingFailed(
      String channelId, int attempt, Throwable error, boolean willRetry) {}

  /** The worker will retry the failed input after a pause; follows processingFailed. */
  default void retrying(String channelId, RetryInfo retry) {}

  /**
   * The worker skipped a change, as the failure policy decided. The next checkpoint stores the
   * skipped change; descriptions of the tunnel list it from then on.
   */
  default void changeSkipped(String channelId, FailedChange change, Throwable error) {}

  /** A channel stopped after a failure, and waits for an operator. */
  default void channelStopped(String channelId, Throwable error) {}

  /** The worker dropped this number of notices here, because the listener was too slow. */
  default void missed(int notices) {}
}
