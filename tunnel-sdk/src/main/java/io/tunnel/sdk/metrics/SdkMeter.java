package io.tunnel.sdk.metrics;

import io.tunnel.sdk.RowResult.Outcome;

/**
 * Receives the figures of clients and workers. Any thread of the SDK calls a meter, even an event
 * loop: methods return at once and throw nothing. The default methods do nothing. Times are in
 * nanoseconds, sizes in encoded bytes.
 */
public interface SdkMeter {

  /** Ignores all calls. */
  SdkMeter NONE = new SdkMeter() {};

  /** A connection to a node was opened, for the first time or again. */
  default void connected() {}

  /** A connection could not be opened. */
  default void connectFailed() {}

  /** A writer has sent a batch, for the first time or again. */
  default void batchSent(int rows, long bytes) {}

  /**
   * A batch was answered or refused, or its connection was lost, {@code nanos} after it was sent.
   */
  default void batchOver(long nanos) {}

  /** {@code count} rows have this outcome. */
  default void rows(Outcome outcome, int count) {}

  /** A worker has opened a session. */
  default void sessionOpened(String tunnelId) {}

  /** A worker has lost its session, or could not open one. */
  default void sessionLost(String tunnelId) {}

  /** A worker now holds {@code channels} channels. */
  default void channelsHeld(String tunnelId, int channels) {}

  /** A processor returned or threw {@code nanos} after its call. */
  default void called(String tunnelId, long nanos) {}

  /**
   * A processor has processed changes.
   *
   * @param committedMicros the commit time of the last change, in microseconds since 1970
   */
  default void processed(String tunnelId, int changes, long bytes, long committedMicros) {}

  /** A processor threw. */
  default void failed(String tunnelId) {}

  /** A failed call of a processor is retried. */
  default void retried(String tunnelId) {}

  /** A change was skipped. */
  default void skipped(String tunnelId) {}

  /** A channel was stopped, and waits for an operator. */
  default void stopped(String tunnelId) {}

  /** A checkpoint was stored {@code nanos} after it was sent. */
  default void checkpointed(String tunnelId, long nanos) {}
}
