package io.tunnel.sdk.processor;

import io.tunnel.sdk.ConnectionException;
import java.util.concurrent.CompletableFuture;

/**
 * Stores the progress of one channel, for as long as the worker holds it; thread-safe. One request
 * to the server is under way at a time, and the next one stores all that was said meanwhile. Every
 * method fails with {@code FENCED} when the channel is no longer this worker's.
 */
public interface ICheckpointer {

  /**
   * Stores that everything up to {@code token} was processed; returns when the server has it on
   * disk.
   *
   * @param token what {@link ProcessRecordsInput#getNextToken} gave; null or {@code "finished"} for
   *     everything that this channel's processor was given so far, without an input that it threw
   *     at
   * @throws IllegalArgumentException when the text is no token, or lies beyond what the processor
   *     was given
   * @throws io.tunnel.model.RefusedException {@code FENCED} or {@code SESSION_ENDED} when the
   *     channel is no longer this worker's (it stops then), {@code INVALID_CHECKPOINT} when a later
   *     one than that token's is stored already
   * @throws ConnectionException when no answer came: it may have been stored
   */
  void checkpoint(String token);

  /**
   * Says that the one input with this token is done. Inputs may be done in any order, said by any
   * thread, also after {@link IChannelProcessor#process} has returned: what is stored is the last
   * position before which nothing is left undone. At most 10,000 inputs are undone at a time; the
   * channel is given no more until some are done.
   *
   * <p>The future completes when a stored checkpoint covers the input, so when all inputs before it
   * are done too and the server has that on disk. It fails with what {@link #checkpoint} would
   * throw; the input counts as done nevertheless, and saying it again tries to store it again. Any
   * callback may wait for it. What is attached to it runs on a thread of the SDK, for one future of
   * the channel after the other, and must not wait for another of them: that one cannot complete
   * before it returns.
   *
   * @param token what {@link ProcessRecordsInput#getNextToken} gave; null or {@code "finished"} for
   *     the last input that the processor was given and did not throw at
   * @throws IllegalArgumentException as {@link #checkpoint} does
   */
  CompletableFuture<Void> checkpointAsync(String token);
}
