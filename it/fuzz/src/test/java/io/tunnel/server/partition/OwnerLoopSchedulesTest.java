package io.tunnel.server.partition;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every schedule of a few threads, as far as Lincheck's model checker gets in so many runs. */
@Tag("proof-fuzz")
class OwnerLoopSchedulesTest {

  private static final int RUNS = 400;

  @Test
  void an_owner_that_sleeps_is_woken_by_every_task() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          Taking taking = new Taking();
          taking.loop.start();
          taking.loop.post(1);
          taking.awaitFirst();
          taking.close();
          require(taking.taken.equals(List.of(1)) && taking.ended.isEmpty(), taking);
        });
  }

  @Test
  void an_owner_that_sleeps_is_woken_by_the_close_and_takes_what_came_before() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          Taking taking = new Taking();
          taking.loop.start();
          taking.loop.post(1);
          taking.close();
          require(taking.taken.equals(List.of(1)) && taking.ended.isEmpty(), taking);
        });
  }

  @Test
  void a_task_that_is_posted_beside_the_close_is_taken_or_ended_and_not_both() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          Taking taking = new Taking();
          taking.loop.start();
          Thread poster = new Thread(() -> taking.loop.post(1));
          poster.start();
          taking.close();
          join(poster);
          List<Integer> all = new ArrayList<>(taking.taken);
          all.addAll(taking.ended);
          require(all.equals(List.of(1)), taking);
        });
  }

  /** A loop that keeps its tasks. */
  private static final class Taking {
    private final OwnerLoop<Integer> loop =
        new OwnerLoop<>(
            "owner",
            new OwnerLoop.Work<>(this::step, () -> OwnerLoop.FOREVER_NANOS, this::fail, this::end),
            new Permit());
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> ended = new ArrayList<>();

    private boolean step() {
      Integer task = loop.poll();
      if (task != null) {
        take(task);
      }
      return task != null;
    }

    private synchronized void take(Integer task) {
      taken.add(task);
      notifyAll();
    }

    synchronized void awaitFirst() {
      while (taken.isEmpty()) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }

    private void fail(Throwable cause) {
      throw new AssertionError(cause);
    }

    private void end(Integer task) {
      ended.add(task);
    }

    void close() {
      try {
        loop.close(() -> {});
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Parking that never ends without a reason, as that of threads may. */
  private static final class Permit implements OwnerLoop.Parking {
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

  /** Plainly: the checker follows every call, and AssertJ makes too many. */
  private static void require(boolean isRight, Taking taking) {
    if (!isRight) {
      throw new AssertionError("taken: " + taking.taken + ", ended: " + taking.ended);
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
