package io.tunnel.sdk.processor;

import io.tunnel.sdk.ConnectionException;
import java.util.concurrent.CompletableFuture;

/**
 * Stores the progress of one channel, for as long as the worker holds the channel; thread-safe. One
 * request to the server is in flight at a time; the next request stores all progress that was
 * reported during the flight. Every method fails with {@code FENCED} when the worker has lost the
 * channel.
 */
public interface ICheckpointer {

  /**
   * Stores that all changes up to {@code token} are processed; returns when the server has the
   * checkpoint on disk.
   *
   * @param token a result of {@link ProcessRecordsInput#getNextToken}; null or {@code "finished"}
   *     for all inputs that the channel's processor was given so far, except an input at which it
   *     threw
   * @throws IllegalArgumentException when the text is not a token, or is behind the last input that
   *     the processor was given
   * @throws io.tunnel.model.RefusedException {@code FENCED} or {@code SESSION_ENDED} when the
   *     worker has lost the channel, which ends then; {@code INVALID_CHECKPOINT} when the server
   *     has a later checkpoint
   * @throws ConnectionException when no answer came: the server may have stored the checkpoint
   */
  void checkpoint(String token);

  /**
   * Marks the input with this token as done. Inputs may be marked in any order, by any thread, also
   * after {@link IChannelProcessor#process} has returned: the checkpoint is the last position
   * before which every input is done. At most 10,000 inputs are undone at a time; until some are
   * done, the processor is given no further input.
   *
   * <p>The future completes when a checkpoint on the server's disk covers the input: all earlier
   * inputs are done then too. The future fails with the exceptions of {@link #checkpoint}; the
   * input counts as done nevertheless, and a repeated call tries to store the progress again. Any
   * callback may wait for the future. Actions attached to the channel's futures run on a thread of
   * the SDK, one after the other. An action must not wait for another future of the channel: that
   * future completes only after the action has returned.
   *
   * @param token a result of {@link ProcessRecordsInput#getNextToken}; null or {@code "finished"}
   *     for the last input that the processor was given and at which it did not throw
   * @throws IllegalArgumentException as {@link #checkpoint} does
   */
  CompletableFuture<Void> checkpointAsync(String token);
}
