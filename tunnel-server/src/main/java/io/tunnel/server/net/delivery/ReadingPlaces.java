package io.tunnel.server.net.delivery;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/**
 * The readings and watches of a server, and those of each principal. A reading without work takes
 * up to 3 KiB of heap. Channels of tunnels are not counted: the catalog bounds them.
 */
final class ReadingPlaces {

  /** Readings and watches of a server. */
  static final int READINGS_MAX = 200_000;

  private final boolean areCounted;
  private final FreeShare places = new FreeShare(READINGS_MAX);

  /** No attachments yet; {@code areCounted}: they are readings. */
  ReadingPlaces(boolean areCounted) {
    this.areCounted = areCounted;
  }

  /**
   * Takes a place for a reading.
   *
   * @throws RefusedException BUSY when all places, or those of the reader's principal, are taken
   */
  void take(Attachment reading) {
    if (areCounted) {
      take(reading.connection().holder());
    }
  }

  /** Gives the place of a reading back. */
  void leave(Attachment reading) {
    if (areCounted) {
      leave(reading.connection().holder());
    }
  }

  void leave(String principal) {
    places.leave(principal, 1);
  }

  void take(String principal) {
    if (!places.take(principal, 1)) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "this server has "
              + places.taken()
              + " readings and watches of partitions"
              + (principal.isEmpty()
                  ? ""
                  : ", " + places.of(principal) + " of them of '" + principal + "'")
              + "; it takes "
              + READINGS_MAX
              + ", and leaves some to each principal; detach some, or try later");
    }
  }
}
