package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/** Refuses additions beyond a limit. */
final class Room {

  private Room() {}

  /**
   * Refuses {@code added} more if {@code present} would exceed {@code max}.
   *
   * @param what name of the counted things, for the message
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
              + "; delete unused ones, or raise the limit in the server's configuration");
    }
  }
}
