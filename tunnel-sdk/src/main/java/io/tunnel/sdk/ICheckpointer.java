package io.tunnel.sdk;

/** Stores the progress of one channel. */
@FunctionalInterface
public interface ICheckpointer {

  /**
   * Stores that everything up to {@code token} was processed; returns when the server has it on
   * disk.
   *
   * @param token what {@link ProcessRecordsInput#getNextToken} gave; null or {@code "finished"} for
   *     everything that this channel's processor was given so far
   * @throws IllegalArgumentException when the text is no token, or lies beyond what the processor
   *     was given
   * @throws io.tunnel.model.RefusedException {@code FENCED} or {@code SESSION_ENDED} when the
   *     channel is no longer this worker's (it stops then), {@code INVALID_CHECKPOINT} when a later
   *     one is stored already
   * @throws ConnectionException when no answer came: it may have been stored
   */
  void checkpoint(String token);
}
