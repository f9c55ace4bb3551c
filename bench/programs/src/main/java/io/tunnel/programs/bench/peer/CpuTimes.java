package io.tunnel.programs.bench.peer;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.stress.LoadClock;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * CPU time of this process and of the server of a peer, since the creation of this object. The time
 * of this process includes collector and compiler; a round is the only work of this process.
 */
public final class CpuTimes {

  private static final OperatingSystemMXBean SELF =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long QUIET_NANOS_MAX = LOOK_NANOS / 20;
  private static final long SETTLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

  private final Peer peer;
  private final long clientNanosBefore = SELF.getProcessCpuTime();
  private final OptionalLong serverNanosBefore;
  private final long logNanosBefore;

  /** Begins to count. */
  public CpuTimes(Peer peer) {
    this.peer = peer;
    this.serverNanosBefore = peer.serverCpuNanos();
    this.logNanosBefore = peer.logCpuNanos();
  }

  /** Microseconds of this process for a row, when it handled {@code rows} rows. */
  public double clientMicrosPer(long rows) {
    return (SELF.getProcessCpuTime() - clientNanosBefore) / 1e3 / rows;
  }

  /** Microseconds of the servers for a row; NaN when the servers run outside of this machine. */
  public double serverMicrosPer(long rows) {
    OptionalLong now = peer.serverCpuNanos();
    return now.isPresent() && serverNanosBefore.isPresent()
        ? (now.getAsLong() - serverNanosBefore.getAsLong()) / 1e3 / rows
        : Double.NaN;
  }

  /** Microseconds of the log for a row, when the log is a separate process. */
  public double logMicrosPer(long rows) {
    return (peer.logCpuNanos() - logNanosBefore) / 1e3 / rows;
  }

  /**
   * Returns when servers use no more than a twentieth of a core each: what was left for later is
   * done, counts as their own, and does not disturb the next round. Gives up after 30 s. A server
   * whose CPU time is not known is waited for as if it had none, which is half a second.
   */
  public static void settle(List<? extends Peer> peers, LoadClock clock) {
    long deadlineNanos = clock.nanos() + SETTLE_NANOS_MAX;
    long quietNanosMax = peers.stream().mapToLong(Peer::processes).sum() * QUIET_NANOS_MAX;
    long before = sum(peers);
    while (clock.nanos() - deadlineNanos < 0) {
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
      long now = sum(peers);
      if (now - before <= quietNanosMax) {
        return;
      }
      before = now;
    }
  }

  private static long sum(List<? extends Peer> peers) {
    return peers.stream()
        .mapToLong(peer -> peer.serverCpuNanos().orElse(0) + peer.logCpuNanos())
        .sum();
  }
}
