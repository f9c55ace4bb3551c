package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WriteBudgetTest {

  private static final int MIB = 1 << 20;
  private static final long NODE_MAX = 64L * MIB;
  private final WriteBudget budget = new WriteBudget(16L * MIB, NODE_MAX);

  private boolean takes(AtomicLong queued, int bytes) {
    try {
      budget.take(queued, bytes);
      return true;
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      return false;
    }
  }

  private static List<AtomicLong> partitions(int count) {
    return Stream.generate(AtomicLong::new).limit(count).toList();
  }

  @Test
  void writers_to_many_partitions_are_pushed_back_at_the_budget_of_the_node() {
    List<AtomicLong> partitions = partitions(128);
    int refused = 0;
    for (int round = 0; round < 64; round++) {
      for (AtomicLong partition : partitions) {
        refused += takes(partition, MIB / 4) ? 0 : 1;
        assertThat(budget.taken()).isLessThanOrEqualTo(NODE_MAX);
      }
    }
    assertThat(refused).isPositive();
    assertThat(budget.taken()).as("all of it is of use").isGreaterThanOrEqualTo(NODE_MAX / 2);
    assertThat(partitions).as("each has some").allMatch(queued -> queued.get() > 0);
    partitions.forEach(
        queued -> {
          while (queued.get() > 0) {
            budget.giveBack(queued, MIB / 4);
          }
        });
    assertThat(budget.taken()).isZero();
  }

  @Test
  void one_partition_has_its_own_limit() {
    AtomicLong queued = new AtomicLong();
    IntStream.range(0, 16).forEach(i -> budget.take(queued, MIB));
    assertThatThrownBy(() -> budget.take(queued, 1))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("this partition");
    budget.giveBack(queued, MIB);
    budget.take(queued, MIB);
  }

  /** Partitions without a broker keep their share until the deadline. */
  @Test
  void partitions_that_are_stuck_leave_room_for_the_others() {
    List<AtomicLong> stuck = partitions(40);
    for (int round = 0; round < 100; round++) {
      stuck.forEach(queued -> takes(queued, MIB / 4));
    }
    for (AtomicLong well : partitions(40)) {
      for (int write = 0; write < 20; write++) {
        assertThat(takes(well, MIB / 4)).isTrue();
        budget.giveBack(well, MIB / 4);
      }
    }
  }

  @Test
  void what_threads_take_and_give_back_is_counted_exactly() throws InterruptedException {
    List<AtomicLong> partitions = partitions(3);
    CountDownLatch ready = new CountDownLatch(4);
    List<Thread> threads = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      Random random = new Random(thread);
      threads.add(
          new Thread(
              () -> {
                ready.countDown();
                for (int i = 0; i < 20_000; i++) {
                  AtomicLong queued = partitions.get(random.nextInt(3));
                  int bytes = 1 + random.nextInt(6 * MIB);
                  if (takes(queued, bytes)) {
                    budget.giveBack(queued, bytes);
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(budget.taken()).isZero();
    assertThat(partitions).allMatch(queued -> queued.get() == 0);
    IntStream.range(0, 64).forEach(i -> budget.take(new AtomicLong(), MIB));
    assertThat(takes(new AtomicLong(), 1)).as("the limit is as it was").isFalse();
  }
}
