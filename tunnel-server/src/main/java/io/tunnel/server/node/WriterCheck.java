package io.tunnel.server.node;

import io.tunnel.server.catalog.TunnelCatalog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure now and then that a group's coordinator is still the one who writes. Another node may
 * have led the group for a while, and this one have heard only that it is to lead it: then it would
 * go on with what it knew before, and its sessions would hold channels that are delivered only
 * under the higher epochs of the other. Whatever it stores tells it that; but it may have nothing
 * to store, just because nothing is delivered.
 */
final class WriterCheck {

  static final long QUIET_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

  private static final Logger LOGGER = LoggerFactory.getLogger(WriterCheck.class);

  private final TunnelCatalog catalog;
  private long writes;
  private long sureNanos;

  /** Of a catalog whose store was opened just now. */
  WriterCheck(TunnelCatalog catalog, long nowNanos) {
    this.catalog = catalog;
    this.writes = catalog.writes();
    this.sureNanos = nowNanos;
  }

  /**
   * Looks once.
   *
   * @param hasSessions whether it matters to anybody
   */
  void look(boolean hasSessions, long nowNanos) {
    if (!hasSessions || writes != catalog.writes()) {
      writes = catalog.writes();
      sureNanos = nowNanos;
    } else if (nowNanos - sureNanos >= QUIET_NANOS_MAX) {
      sureNanos = nowNanos;
      try {
        catalog.confirm();
      } catch (IOException e) {
        // Who is fenced is told by its store; anything else is tried again.
        LOGGER.debug("it is not sure who writes the tunnels of {}", catalog.startId(), e);
      }
      writes = catalog.writes();
    }
  }
}
