package io.tunnel.server.channel.ration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.changes.LogFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The whole of it on a machine of numbers, on which writes wait the longer the more it has to do.
 */
final class RationsTest {

  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int DELIVERY_BYTES = 256 << 10;
  private static final long ALL = 1L << 50;

  /** The bytes that an idle machine can deliver in a millisecond. */
  private static final long DELIVERED_MAX = 500_000;

  private final List<Drain> drains = new ArrayList<>();
  private long nowNanos;
  private Rations rations = new Rations(RationConfig.DEFAULT, () -> nowNanos);
  private double unwritten;
  private double load;

  static LongStream seeds() {
    return LongStream.range(0, 50);
  }

  /** A channel that is far behind. */
  private final class Drain {
    private final Ration ration = rations.ofChannel();
    private long bytes;
    private long committed;
    private long wakeNanos = -1;
    private Runnable waking = () -> {};

    /** Delivers as much as it may; the machine takes so many bytes. */
    private long run(long bytesMax) {
      if (wakeNanos >= 0 && wakeNanos <= nowNanos) {
        wakeNanos = -1;
        waking.run();
      }
      long run = 0;
      while (run < bytesMax && ration.claimTurn(ALL, committed, this::after, () -> {})) {
        ration.delivered(1_000, DELIVERY_BYTES);
        run += DELIVERY_BYTES;
      }
      bytes += run;
      return run;
    }

    private void after(long nanos, Runnable action) {
      assertThat(nanos).isBetween(1L, 100 * MS);
      assertThat(wakeNanos).as("one wait at a time").isNegative();
      wakeNanos = nowNanos + nanos;
      waking = action;
    }
  }

  /**
   * Lets time pass.
   *
   * @param share of the machine that the writes take
   * @return what a write waits on average, in milliseconds
   */
  private double pass(Random random, long ms, double share) {
    double waited = 0;
    long writes = 0;
    for (long i = 0; i < ms; i++) {
      nowNanos += MS;
      long delivered = 0;
      for (Drain drain : drains) {
        delivered += drain.run(DELIVERED_MAX);
      }
      double busy = share * 2 * random.nextDouble() + (double) delivered / DELIVERED_MAX;
      load += (busy - load) / 20;
      unwritten = Math.max(0, unwritten + load - 1);
      if (share > 0 && random.nextInt(3) == 0) {
        double waitMs = 1 / (1 - Math.min(0.9, load)) + unwritten;
        waited += waitMs;
        writes++;
        rations.writes().written(rations.writes().begin() - (long) (waitMs * MS));
      }
      if (i % 100 == 0) {
        rations.tick();
      }
    }
    return writes == 0 ? 0 : waited / writes;
  }

  private long drained() {
    return drains.stream().mapToLong(drain -> drain.bytes).sum();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void drains_take_what_writes_leave_and_writes_wait_little_longer(long seed) {
    Random random = new Random(seed);
    double share = 0.2 + random.nextDouble() / 2;
    double normalMs = pass(random, 20_000, share);
    for (int i = 1 + random.nextInt(16); i > 0; i--) {
      drains.add(new Drain());
    }
    pass(random, 5_000, share);
    long before = drained();
    double duringMs = pass(random, 60_000, share);
    assertThat(duringMs).as("normally %s ms", normalMs).isLessThan(2 * normalMs);
    double idle = (1 - share) * DELIVERED_MAX * 60_000;
    assertThat(drained() - before).as("of what writes leave").isGreaterThan((long) (idle / 4));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_drain_ends_beside_writes_that_need_the_whole_machine(long seed) {
    Random random = new Random(seed);
    drains.add(new Drain());
    drains.add(new Drain());
    pass(random, 20_000, 1.5);
    long least = RationConfig.DEFAULT.bytesPerSecondMin();
    assertThat(drained()).isGreaterThan(20 * least / 2);
    for (Drain drain : drains) {
      assertThat(drain.bytes).as("its turns").isGreaterThan(drained() / 3);
    }
  }

  @Test
  void a_drain_is_as_fast_as_can_be_when_nobody_writes_and_soon_after_somebody_did() {
    Random random = new Random(1);
    drains.add(new Drain());
    pass(random, 1_000, 0);
    assertThat(drained()).isGreaterThan(1_000 * DELIVERED_MAX);
    pass(random, 5_000, 0.5);
    pass(random, 700, 0);
    long before = drained();
    pass(random, 1_000, 0);
    assertThat(drained() - before).isGreaterThan(1_000 * DELIVERED_MAX);
    assertThat(rations.figures().bytesPerSecond()).isInfinite();
    assertThat(rations.figures().bytes()).isEqualTo(drained());
  }

  @Test
  void a_backlog_of_unknown_size_is_paced_as_a_large_one() {
    pass(new Random(1), 1_000, 1);
    Ration late = rations.ofChannel();
    assertThat(late.claimTurn(LogFigures.UNKNOWN, 1, RationsTest::never, () -> {})).isTrue();
    late.delivered(1, DELIVERY_BYTES);
    assertThat(rations.figures().bytes()).isEqualTo(DELIVERY_BYTES);
    assertThat(late.claimTurn(LogFigures.UNKNOWN, 1, (nanos, again) -> {}, () -> {})).isFalse();
  }

  @Test
  void a_live_channel_never_waits_and_one_that_is_paced_by_no_setting_neither() {
    pass(new Random(1), 1_000, 1);
    Ration live = rations.ofChannel();
    Ration late = rations.ofChannel();
    for (int i = 0; i < 1_000; i++) {
      assertThat(live.claimTurn(4 << 20, 1, RationsTest::never, () -> {})).isTrue();
      live.delivered(1, DELIVERY_BYTES);
    }
    assertThat(rations.figures().bytes()).as("none of it was caught up").isZero();
    assertThat(late.claimTurn((4 << 20) + 1, 1, RationsTest::never, () -> {})).isTrue();
    late.delivered(1, DELIVERY_BYTES);
    assertThat(late.claimTurn((4 << 20) + 1, 1, (nanos, again) -> {}, () -> {})).isFalse();
    assertThat(rations.figures().waiting()).isEqualTo(1);
    rations = new Rations(new RationConfig(false, 0, 1, 200), () -> nowNanos);
    pass(new Random(1), 1_000, 1);
    Ration unpaced = rations.ofChannel();
    for (int i = 0; i < 1_000; i++) {
      assertThat(unpaced.claimTurn(ALL, 1, RationsTest::never, () -> {})).isTrue();
      unpaced.delivered(1, DELIVERY_BYTES);
    }
  }

  private static void never(long nanos, Runnable action) {
    throw new AssertionError("waits for " + nanos + " ns");
  }

  @Test
  void what_is_written_to_its_partition_lets_a_channel_deliver_beside_the_ration() {
    pass(new Random(1), 2_000, 1.5);
    Drain drain = new Drain();
    drains.add(drain);
    pass(new Random(1), 1_000, 1.5);
    long least = drain.bytes;
    drain.committed = 1_000_000;
    long before = drain.bytes;
    for (int i = 0; i < 1_000; i++) {
      drain.committed += 100;
      pass(new Random(i), 1, 1.5);
    }
    long changes = (drain.bytes - before) / DELIVERY_BYTES * 1_000;
    assertThat(changes).isGreaterThanOrEqualTo(100_000 * 5 / 4 - 20_000);
    assertThat(drain.bytes - before).isGreaterThan(least);
  }
}
