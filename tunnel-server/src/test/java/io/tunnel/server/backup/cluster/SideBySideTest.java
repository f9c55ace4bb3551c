package io.tunnel.server.backup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SideBySideTest {

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void each_task_is_done_once_with_a_tool_that_no_other_thread_has(long seed) throws IOException {
    Random random = new Random(seed);
    int tasks = random.nextInt(60);
    List<AtomicInteger> tools =
        IntStream.range(0, 1 + random.nextInt(6)).mapToObj(i -> new AtomicInteger()).toList();
    Set<Integer> done = ConcurrentHashMap.newKeySet();
    List<Integer> results =
        SideBySide.all(
            "test",
            tools,
            numbers(tasks),
            (tool, task) -> {
              assertThat(tool.incrementAndGet()).as("users of a tool").isEqualTo(1);
              assertThat(done.add(task)).as("task %d is new", task).isTrue();
              tool.decrementAndGet();
              return task * 3;
            });
    assertThat(results).isEqualTo(numbers(tasks).stream().map(task -> task * 3).toList());
  }

  @Test
  void as_many_tasks_as_tools_are_under_way_at_once() throws IOException {
    CyclicBarrier all = new CyclicBarrier(4);
    List<Integer> results =
        SideBySide.all(
            "test",
            numbers(4),
            numbers(8),
            (tool, task) -> {
              try {
                return all.await() >= 0 ? task : -1;
              } catch (InterruptedException | BrokenBarrierException e) {
                throw new IOException("alone", e);
              }
            });
    assertThat(results).isEqualTo(numbers(8));
  }

  @Test
  void with_one_tool_the_calling_thread_does_all_in_order() throws IOException {
    List<Integer> order = new ArrayList<>();
    Thread caller = Thread.currentThread();
    var unused =
        SideBySide.all(
            "test",
            numbers(1),
            numbers(5),
            (tool, task) -> {
              assertThat(Thread.currentThread()).isSameAs(caller);
              return order.add(task);
            });
    assertThat(order).isEqualTo(numbers(5));
  }

  /** The failing task waits for the other one to stand still, and its end for the interrupt. */
  @Test
  void the_first_failure_is_told_when_all_threads_have_ended_and_no_other_task_begins() {
    CountDownLatch waits = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    assertThatThrownBy(
            () ->
                SideBySide.all(
                    "test",
                    numbers(2),
                    numbers(50),
                    (tool, task) -> {
                      assertThat(task).isLessThan(2);
                      try {
                        if (task == 1) {
                          waits.await();
                          throw new IOException("partition 1 cannot be read");
                        }
                        waits.countDown();
                        new CountDownLatch(1).await();
                        return task;
                      } catch (InterruptedException e) {
                        ended.incrementAndGet();
                        throw new IOException("partition 0 was interrupted", e);
                      }
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("partition 1 cannot be read");
    assertThat(ended).hasValue(1);
  }

  @Test
  void a_fault_of_a_program_is_thrown_as_it_is() {
    assertThatThrownBy(
            () ->
                SideBySide.all(
                    "test",
                    numbers(2),
                    numbers(3),
                    (tool, task) -> {
                      throw new IllegalStateException("a fault");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a fault");
  }

  @Test
  void an_interrupted_caller_waits_for_the_threads_and_fails() {
    CountDownLatch begun = new CountDownLatch(2);
    Thread caller = Thread.currentThread();
    AtomicInteger ended = new AtomicInteger();
    assertThatThrownBy(
            () ->
                SideBySide.all(
                    "test",
                    numbers(2),
                    numbers(2),
                    (tool, task) -> {
                      begun.countDown();
                      try {
                        begun.await();
                        caller.interrupt();
                        new CountDownLatch(1).await();
                        return task;
                      } catch (InterruptedException e) {
                        ended.incrementAndGet();
                        throw new IOException("late", e);
                      }
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ended).hasValue(2);
  }
}
