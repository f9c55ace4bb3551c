package io.tunnel.server.node;

import io.tunnel.server.catalog.TunnelCatalog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks now and then that a group's coordinator is still the only writer of its store. Another
 * node may have led the group for a while without this node's knowledge. This node would then
 * continue with stale state, and its sessions would hold channels that are delivered only under the
 * other node's higher epochs. Any write would reveal that; but without deliveries there may be
 * nothing to write.
 */
final class WriterCheck {

  static final long QUIET_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

  private static final Logger LOGGER = LoggerFactory.getLogger(WriterCheck.class);

  private final TunnelCatalog catalog;
  private long writes;
  private long sureNanos;

  /** For a catalog whose store was opened just now. */
  WriterCheck(TunnelCatalog catalog, long nowNanos) {
    this.catalog = catalog;
    this.writes = catalog.writes();
    this.sureNanos = nowNanos;
  }

  /**
   * Takes a look.
   *
   * @param hasSessions whether any session depends on the answer
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
        // The store tells its leader when it was fenced; other failures are retried.
        LOGGER.debug(
            "cannot confirm that this node writes the tunnels of {}; will retry",
            catalog.startId(),
            e);
      }
      writes = catalog.writes();
    }
  }
}
