package io.tunnel.server.changes;

import java.io.IOException;

/**
 * The leader of a partition has not said where the partition ends. The message names the partition
 * and the reason, such as a partition without a leader. A retry may succeed.
 */
public final class LookFailedException extends IOException {

  private static final long serialVersionUID = 1L;

  /** A failure for this reason. */
  public LookFailedException(String message) {
    super(message);
  }
}
