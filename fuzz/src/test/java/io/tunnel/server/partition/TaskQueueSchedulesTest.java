package io.tunnel.server.partition;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

/** Every schedule of a few threads, as far as Lincheck's model checker gets in so many runs. */
class TaskQueueSchedulesTest {

  private static final int RUNS = 400;

  @Test
  void an_owner_that_sleeps_is_woken_by_every_task() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          TaskQueue<Integer> queue = new TaskQueue<>(new Permit());
          List<Integer> taken = new ArrayList<>();
          Thread owner = new Thread(() -> take(queue, 1, taken));
          owner.start();
          queue.post(1);
          join(owner);
          require(taken.equals(List.of(1)), taken);
        });
  }

  @Test
  void an_owner_that_sleeps_is_woken_by_the_stop() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          TaskQueue<Integer> queue = new TaskQueue<>(new Permit());
          List<Integer> taken = new ArrayList<>();
          Thread owner = new Thread(() -> take(queue, Integer.MAX_VALUE, taken));
          owner.start();
          queue.post(1);
          queue.stop();
          join(owner);
          // A task that came after the owner's last look is left for the thread that stopped it.
          Integer left = queue.poll();
          require(taken.equals(List.of(1)) == (left == null), taken);
        });
  }

  /** Parking that never ends without a reason, as that of threads may. */
  private static final class Permit implements TaskQueue.Parking {
    private boolean isThere;

    @Override
    public synchronized void park(long nanosMax) {
      while (!isThere) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      isThere = false;
    }

    @Override
    public synchronized void unpark(Thread thread) {
      isThere = true;
      notifyAll();
    }
  }

  /** What a shard's thread does: takes tasks, and sleeps when there are none. */
  private static void take(TaskQueue<Integer> queue, int count, List<Integer> taken) {
    while (taken.size() < count) {
      Integer task = queue.poll();
      if (task != null) {
        taken.add(task);
      } else if (queue.isStopping()) {
        return;
      } else {
        queue.await(TaskQueue.FOREVER_NANOS);
      }
    }
  }

  /** Plainly: the checker follows every call, and AssertJ makes too many. */
  private static void require(boolean isRight, List<Integer> taken) {
    if (!isRight) {
      throw new AssertionError("taken: " + taken);
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
