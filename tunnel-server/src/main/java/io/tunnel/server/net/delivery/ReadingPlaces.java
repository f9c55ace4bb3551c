package io.tunnel.server.net.delivery;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashMap;
import java.util.Map;

/**
 * The readings and watches of a server, and those of each principal. A reading without work takes
 * up to 3 KiB of heap. Channels of tunnels are not counted: the catalog bounds them. Guarded by the
 * monitor of its owner.
 */
final class ReadingPlaces {

  /** Readings and watches of a server. */
  static final int READINGS_MAX = 200_000;

  private final boolean areCounted;
  private final Map<String, Integer> byPrincipal = new HashMap<>();

  /** The sum of {@link #byPrincipal}. */
  private int taken;

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
    byPrincipal.merge(principal, -1, (own, less) -> own == 1 ? null : own + less);
    taken--;
  }

  void take(String principal) {
    int own = byPrincipal.getOrDefault(principal, 0);
    boolean isShared = principal.isEmpty() || FreeShare.allows(own, 1, taken, READINGS_MAX);
    if (taken >= READINGS_MAX || !isShared) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "this server has "
              + taken
              + " readings and watches of partitions"
              + (principal.isEmpty() ? "" : ", " + own + " of them of '" + principal + "'")
              + "; it takes "
              + READINGS_MAX
              + ", and leaves some to each principal; detach some, or try later");
    }
    byPrincipal.put(principal, own + 1);
    taken++;
  }
}
