package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the clock of the node with the clock of the shared log, at each record of a partition
 * that the log acknowledges, and with the monotonic clock before each group. A node whose clock is
 * off does not lead, and asks the log for its time by a record that counts for no reader. For the
 * shard's thread.
 */
final class LaneClock {

  /** The pause between two questions for the log's time, while the clock is off. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(LaneClock.class);

  private final int partition;
  private final LaneWiring wiring;
  private final ClockGapCore gap = new ClockGapCore();

  LaneClock(int partition, LaneWiring wiring) {
    this.partition = partition;
    this.wiring = wiring;
  }

  /** The clock of the node in milliseconds since 1970. */
  long nowMs() {
    return TimeUnit.MICROSECONDS.toMillis(wiring.clock().epochMicros());
  }

  /** Whether the node must not lead. */
  boolean isOff() {
    return gap.isOff();
  }

  /** Looks whether the wall clock was set; returns this clock. */
  LaneClock look() {
    return tell(() -> gap.look(nowMs(), wiring.clock().nanos()));
  }

  /** The log has acknowledged a record that was sent at {@code sentMs}; returns this clock. */
  LaneClock measure(long sentMs, AppendLog.Placed placed) {
    return tell(() -> gap.measured(sentMs, nowMs(), wiring.clock().nanos(), placed.timeMs()));
  }

  private LaneClock tell(Runnable change) {
    boolean wasOff = gap.isOff();
    change.run();
    if (gap.isOff() && !wasOff) {
      gap.began(wiring.clock().nanos());
      LOG.error(
          "the clock of this node is {} ms {} the clock of the shared log; the node does not lead"
              + " partition {} and will ask for the time of the log again in {} s. Set the clock"
              + " of the node",
          Math.abs(gap.aheadMs()),
          gap.aheadMs() > 0 ? "ahead of" : "behind",
          partition,
          TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS));
    }
    return this;
  }

  /** Appends a record without a meaning, if it is time: no marker has its random bytes. */
  void ask(long nowNanos) {
    if (!gap.take(nowNanos, PAUSE_NANOS)) {
      return;
    }
    long sentMs = nowMs();
    AppendHeader nothing =
        new AppendHeader(
            Kind.BATCHES,
            0,
            wiring.markers().getAsLong(),
            1,
            1,
            0,
            AppendHeader.NO_SNAPSHOT,
            Bytes.EMPTY);
    wiring
        .log()
        .append(
            partition,
            nothing.encode(),
            new byte[0],
            placed ->
                wiring
                    .posts()
                    .accept(
                        () -> {
                          if (placed.isPresent()) {
                            var unused = measure(sentMs, placed.get());
                          }
                        }));
  }
}
