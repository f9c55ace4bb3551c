package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** How tests wait for a shard. */
final class ShardWaits {

  private static final long DEADLINE_S = 30;

  private ShardWaits() {}

  /**
   * Until the shard has done all that was asked of it before, and folded what it acknowledged of
   * partitions 1 to 9.
   */
  static void settle(Shard shard) throws InterruptedException {
    CountDownLatch isDone = new CountDownLatch(1);
    shard.execute(Set.of(1, 2, 3, 4, 5, 6, 7, 8, 9), isDone::countDown);
    assertThat(isDone.await(DEADLINE_S, TimeUnit.SECONDS)).isTrue();
  }

  static void until(BooleanSupplier condition) {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(endNanos);
      Thread.onSpinWait();
    }
  }
}
