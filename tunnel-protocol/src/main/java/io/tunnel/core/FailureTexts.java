package io.tunnel.core;

import io.tunnel.wire.control.FailureControl.FailedChange;
import java.util.Optional;

/**
 * The bytes that a server spends on the failures that workers report: an error and the key of a
 * change for each stopped or retried channel. Principals share them by {@link FreeShare}. A failure
 * beyond the share is kept in short: the first {@link #SHORT_CHARS} characters of its error,
 * without a place. For one thread.
 */
public final class FailureTexts {

  /** Bytes for the failures of one kind, stopped or retried, of a server. */
  public static final long BYTES_MAX = 32L << 20;

  /** Characters of the error of a failure in short, which counts as a part of its channel. */
  public static final int SHORT_CHARS = 100;

  /** What a failure takes in addition to the characters of its error and key. */
  private static final int FAILURE_BYTES = 400;

  private final FreeShare bytes;

  /**
   * No failures.
   *
   * @param bytesMax bytes for all failures
   */
  public FailureTexts(long bytesMax) {
    this.bytes = new FreeShare(bytesMax);
  }

  /** No failures of another kind, with as many bytes. */
  public FailureTexts another() {
    return new FailureTexts(bytes.max());
  }

  /** The bytes of a failure: two for a character, as a string may take; 0 for one in short. */
  public static long bytes(StopReason failure) {
    return failure.equals(inShort(failure))
        ? 0
        : FAILURE_BYTES
            + 2L * failure.error().length()
            + 2L
                * failure.at().map(FailedChange::key).map(key -> key.toString().length()).orElse(0);
  }

  /** What is kept of a failure without space. */
  private static StopReason inShort(StopReason failure) {
    String error = failure.error();
    return new StopReason(
        error.length() > SHORT_CHARS ? error.substring(0, SHORT_CHARS) : error, Optional.empty());
  }

  /** The bytes of all failures. */
  public long bytes() {
    return bytes.taken();
  }

  /** The failure, or what is kept of it when {@code owner} has no space for it. */
  public StopReason fitting(String owner, StopReason failure) {
    return bytes.allows(owner, bytes(failure)) ? failure : inShort(failure);
  }

  /** A failure of a channel of {@code owner} takes the place of another one, or of none. */
  public void replace(String owner, Optional<StopReason> former, Optional<StopReason> next) {
    bytes.add(owner, bytesOf(next) - bytesOf(former));
  }

  private static long bytesOf(Optional<StopReason> failure) {
    return failure.map(FailureTexts::bytes).orElse(0L);
  }
}
