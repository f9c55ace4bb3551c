package io.tunnel.server.disk;

import java.io.IOException;

/**
 * The disk has no space left. Nothing was changed, so the operation may be retried when there is
 * space.
 */
public final class DiskFullException extends IOException {

  private static final long serialVersionUID = 1L;

  /** With a message that says how full the disk is. */
  public DiskFullException(String message) {
    super(message);
  }

  private DiskFullException(IOException cause) {
    super(cause.getMessage(), cause);
  }

  /**
   * Converts {@code failure} to this type if its reason is a lack of space.
   *
   * @param left free bytes of the disk
   * @param wanted bytes of the failed write
   */
  static IOException of(IOException failure, long left, long wanted) {
    String reason = String.valueOf(failure.getMessage());
    boolean isFull =
        reason.contains("No space left") || reason.contains("quota exceeded") || left < wanted;
    return isFull ? new DiskFullException(failure) : failure;
  }
}
