package io.tunnel.sdk.worker.thread;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.fake.Waits;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The number of threads, which an interrupt does not change. */
class ProcessorPoolTest {

  private static List<Thread> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name + "-"))
        .toList();
  }

  @Test
  void there_are_no_threads_before_they_are_needed_and_never_more_than_channels() {
    CountDownLatch gate = new CountDownLatch(1);
    try (ProcessorPool pool = new ProcessorPool("lazy", 64)) {
      assertThat(threads("lazy")).isEmpty();
      pool.fitTo(3);
      assertThat(threads("lazy")).isEmpty();
      CountDownLatch entered = new CountDownLatch(3);
      for (int i = 0; i < 10; i++) {
        assertThat(
                pool.run(
                    () -> {
                      entered.countDown();
                      Waits.await(gate);
                    }))
            .isTrue();
      }
      Waits.await(entered);
      assertThat(threads("lazy")).hasSize(3).allMatch(Thread::isDaemon);
      CountDownLatch beside = new CountDownLatch(1);
      assertThat(pool.runBeside(beside::countDown)).isTrue();
      Waits.await(beside); // Though every thread that processes is busy.
    } finally {
      gate.countDown();
    }
  }

  @Test
  void what_is_interrupted_or_throws_neither_adds_nor_takes_a_thread() {
    AtomicInteger active = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    AtomicBoolean wasInterrupted = new AtomicBoolean();
    CountDownLatch entered = new CountDownLatch(2);
    CountDownLatch never = new CountDownLatch(1);
    try (ProcessorPool pool = new ProcessorPool("interrupted", 2)) {
      pool.fitTo(8);
      for (int i = 0; i < 2; i++) {
        var unused =
            pool.run(
                () -> {
                  entered.countDown();
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
      }
      Waits.await(entered);
      pool.interrupt();
      for (int i = 0; i < 20; i++) {
        var unused =
            pool.run(
                () -> {
                  most.accumulateAndGet(active.incrementAndGet(), Math::max);
                  if (Thread.currentThread().isInterrupted()) {
                    wasInterrupted.set(true);
                  }
                  active.decrementAndGet();
                  done.incrementAndGet();
                  Thread.currentThread().interrupt();
                });
      }
      Waits.until("all have run", () -> done.get() == 20);
    }
    assertThat(most).satisfies(n -> assertThat(n.get()).isBetween(1, 2));
    assertThat(wasInterrupted).as("the interrupt of one task in another").isFalse();
  }
}
