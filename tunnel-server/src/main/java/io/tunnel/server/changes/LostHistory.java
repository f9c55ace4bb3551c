package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/**
 * Changes that nobody has any more.
 *
 * @param first position of those that were asked for
 * @param last position of those of which it is known
 */
public record LostHistory(int partition, long first, long last) {

  /** The refusal of a request for these changes. */
  public RefusedException refusal() {
    return new RefusedException(
        ErrorCode.HISTORY_LOST,
        "changes " + first + " to " + last + " of partition " + partition + " are no longer kept");
  }
}
