package io.tunnel.sdk.worker.thread;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.fake.Waits;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The number of threads, which an interrupt does not change. */
class ProcessorPoolTest {

  private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);

  private static List<Thread> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name + "-"))
        .toList();
  }

  @Test
  void there_are_no_threads_before_they_are_needed_and_never_more_than_channels() {
    CountDownLatch gate = new CountDownLatch(1);
    try (ProcessorPool pool = new ProcessorPool(new CallThreads("lazy", LONG_NANOS), 64)) {
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
    try (ProcessorPool pool = new ProcessorPool(new CallThreads("interrupted", LONG_NANOS), 2)) {
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

  private static void runAndAwait(ProcessorPool pool) {
    CountDownLatch done = new CountDownLatch(1);
    assertThat(pool.run(done::countDown)).isTrue();
    Waits.await(done);
  }

  /** Runs {@code tasks} tasks at the same time. */
  private static void runTogether(ProcessorPool pool, int tasks) {
    CountDownLatch entered = new CountDownLatch(tasks);
    CountDownLatch left = new CountDownLatch(tasks);
    for (int i = 0; i < tasks; i++) {
      assertThat(
              pool.run(
                  () -> {
                    entered.countDown();
                    Waits.await(entered); // So each task has a thread.
                    left.countDown();
                  }))
          .isTrue();
    }
    Waits.await(left);
  }

  @Test
  void tasks_one_after_the_other_share_a_thread_although_there_may_be_many() {
    try (ProcessorPool pool = new ProcessorPool(new CallThreads("few", LONG_NANOS), 64)) {
      pool.fitTo(64);
      for (int i = 0; i < 500; i++) {
        runAndAwait(pool);
      }
      // Another one starts where a thread is preempted between the end of a task and its return.
      assertThat(threads("few")).hasSizeLessThan(32);
    }
  }

  @Test
  void a_thread_that_the_load_does_not_need_ends_while_others_work() {
    CallThreads threads = new CallThreads("idle", TimeUnit.MILLISECONDS.toNanos(20));
    try (ProcessorPool pool = new ProcessorPool(threads, 64)) {
      pool.fitTo(64);
      runTogether(pool, 32);
      Waits.until(
          "the end of the others",
          () -> {
            runAndAwait(pool);
            return threads("idle").size() <= 2;
          });
    }
    Waits.until("the end of all", () -> threads("idle").isEmpty());
  }

  @Test
  void the_pools_of_many_workers_share_threads_and_each_keeps_its_limit() {
    CallThreads threads = new CallThreads("shared", LONG_NANOS);
    try (ProcessorPool blocked = new ProcessorPool(threads, 2);
        ProcessorPool other = new ProcessorPool(threads, 64)) {
      CountDownLatch gate = new CountDownLatch(1);
      AtomicInteger entered = new AtomicInteger();
      blocked.fitTo(8);
      other.fitTo(8);
      try {
        for (int i = 0; i < 8; i++) {
          var unused =
              blocked.run(
                  () -> {
                    entered.incrementAndGet();
                    Waits.await(gate);
                  });
        }
        runTogether(other, 8); // Whatever the other worker's tasks wait for.
        assertThat(entered).hasValue(2);
        assertThat(blocked.isOwnThread()).isFalse();
        AtomicBoolean isOwn = new AtomicBoolean();
        CountDownLatch asked = new CountDownLatch(1);
        var unused =
            other.run(
                () -> {
                  isOwn.set(other.isOwnThread() && !blocked.isOwnThread());
                  asked.countDown();
                });
        Waits.await(asked);
        assertThat(isOwn).isTrue();
      } finally {
        gate.countDown();
      }
    }
  }

  @Test
  void what_waits_when_the_pool_is_closed_still_runs_and_nothing_new_does() {
    CallThreads threads = new CallThreads("closed", LONG_NANOS);
    ProcessorPool pool = new ProcessorPool(threads, 1);
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      var unused =
          pool.run(
              () -> {
                Waits.await(gate);
                ran.countDown();
              });
    }
    pool.close();
    assertThat(pool.run(ran::countDown)).isFalse();
    gate.countDown();
    Waits.await(ran);
  }
}
