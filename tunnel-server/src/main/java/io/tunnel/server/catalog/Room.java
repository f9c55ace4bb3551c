package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/** Refuses what would be more than a limit. */
final class Room {

  private Room() {}

  /**
   * Lets {@code added} come to {@code present} if there is room.
   *
   * @param what is counted, for people
   * @param setting the limit's name in the configuration
   */
  static void require(long present, long added, int max, String what, String setting) {
    if (present + added > max) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "there are "
              + present
              + " "
              + what
              + ", and "
              + added
              + " more would be over catalog."
              + setting
              + " = "
              + max
              + "; delete what nobody uses, or raise the limit in the server's configuration");
    }
  }
}
