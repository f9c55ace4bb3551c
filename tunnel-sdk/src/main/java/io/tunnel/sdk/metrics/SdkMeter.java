package io.tunnel.sdk.metrics;

import io.tunnel.sdk.RowResult.Outcome;

/**
 * Is told what clients and workers do, by any of their threads, also by those that must not wait:
 * it returns at once and throws nothing. Each method does nothing unless it is overridden. Times
 * are in nanoseconds, sizes in bytes as they are encoded.
 */
public interface SdkMeter {

  /** Hears nothing. */
  SdkMeter NONE = new SdkMeter() {};

  /** A connection to a node was opened; more than there are nodes are reconnects. */
  default void connected() {}

  /** A connection could not be opened. */
  default void connectFailed() {}

  /** A writer has sent a batch, for the first time or again. */
  default void batchSent(int rows, long bytes) {}

  /** It was answered, refused, or its connection is gone. */
  default void batchOver(long nanos) {}

  /** So many rows have been told their outcome. */
  default void rows(Outcome outcome, int count) {}

  /** A worker has opened a session. */
  default void sessionOpened(String tunnelId) {}

  /** A worker has lost its session, or could not open one. */
  default void sessionLost(String tunnelId) {}

  /** A worker holds so many channels now. */
  default void channelsHeld(String tunnelId, int channels) {}

  /** A processor was called, and returned or threw after that time. */
  default void called(String tunnelId, long nanos) {}

  /**
   * A processor has processed changes.
   *
   * @param committedMicros when the last of them was committed, in microseconds since 1970
   */
  default void processed(String tunnelId, int changes, long bytes, long committedMicros) {}

  /** A processor threw. */
  default void failed(String tunnelId) {}

  /** What a processor threw at is tried again. */
  default void retried(String tunnelId) {}

  /** A change was left out. */
  default void skipped(String tunnelId) {}

  /** A channel was stopped: it waits for an operator. */
  default void stopped(String tunnelId) {}

  /** A checkpoint was stored, that time after it was sent. */
  default void checkpointed(String tunnelId, long nanos) {}
}
