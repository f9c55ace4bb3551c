package io.tunnel.sdk.write;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that wait for room, in every schedule that Lincheck tries. */
@Tag("proof-fuzz")
class BudgetSchedulesTest {

  private static final int RUNS = 400;

  @Test
  void a_writer_that_waits_for_room_is_woken_by_every_byte_given_back() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          ByteBudget budget = new ByteBudget(1);
          budget.take(1);
          Thread first = new Thread(() -> takeOne(budget));
          Thread second = new Thread(() -> takeOne(budget));
          first.start();
          second.start();
          budget.giveBack(1);
          join(first);
          join(second);
          require(budget.used() == 0 && !budget.hasWaiting(), "bytes used: " + budget.used());
        });
  }

  private static void takeOne(ByteBudget budget) {
    budget.awaitRoom(() -> {});
    budget.take(1);
    budget.giveBack(1);
  }

  private static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
