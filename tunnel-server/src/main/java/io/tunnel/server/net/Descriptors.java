package io.tunnel.server.net;

import com.sun.management.UnixOperatingSystemMXBean;
import io.tunnel.server.net.access.Places;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many connections the descriptors of this process are enough for. */
final class Descriptors {

  private static final Logger LOGGER = LoggerFactory.getLogger(Descriptors.class);

  /** What files, logs and this process's own connections are left at least. */
  private static final long RESERVED_MIN = 256;

  private Descriptors() {}

  /** {@code wanted}, or fewer: a quarter of all descriptors is kept for files. */
  static int connectionsMax(int wanted, int httpConnectionsMax) {
    if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean)) {
      return wanted;
    }
    UnixOperatingSystemMXBean system =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    int possible = fitting(wanted, system.getMaxFileDescriptorCount(), httpConnectionsMax);
    if (possible < wanted) {
      LOGGER.warn(
          "{} connections are accepted instead of net.connectionsMax = {}: the process may have {}"
              + " descriptors; raise ulimit -n",
          possible,
          wanted,
          system.getMaxFileDescriptorCount());
    }
    return possible;
  }

  static int fitting(int wanted, long descriptors, int httpConnectionsMax) {
    long reserved =
        Math.max(RESERVED_MIN, descriptors / 4) + httpConnectionsMax + Places.REFUSED_MAX;
    return (int) Math.max(1, Math.min(wanted, descriptors - reserved));
  }
}
