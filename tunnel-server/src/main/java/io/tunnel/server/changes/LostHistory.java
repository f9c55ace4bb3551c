package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/**
 * Changes that are lost for good.
 *
 * @param first position of the first requested change
 * @param last position of the last change known to be lost
 */
public record LostHistory(int partition, long first, long last) {

  /** The refusal of a request for these changes. */
  public RefusedException refusal() {
    return new RefusedException(
        ErrorCode.HISTORY_LOST,
        "changes " + first + " to " + last + " of partition " + partition + " are no longer kept");
  }
}
