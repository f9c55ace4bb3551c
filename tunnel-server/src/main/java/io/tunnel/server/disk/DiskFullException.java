package io.tunnel.server.disk;

import java.io.IOException;

/**
 * There is no room on the disk. Nothing was changed, so the operation may be tried again when there
 * is.
 */
public final class DiskFullException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Says how full it is. */
  public DiskFullException(String message) {
    super(message);
  }

  private DiskFullException(IOException cause) {
    super(cause.getMessage(), cause);
  }

  /**
   * {@code failure} as one of this type if its reason is a lack of room.
   *
   * @param left bytes that the disk has left
   * @param wanted bytes that were to be written
   */
  static IOException of(IOException failure, long left, long wanted) {
    String reason = String.valueOf(failure.getMessage());
    boolean isFull =
        reason.contains("No space left") || reason.contains("quota exceeded") || left < wanted;
    return isFull ? new DiskFullException(failure) : failure;
  }
}
