package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OwnerLoopTest {

  private static final String NAME = "loop-of-a-test";
  private static final Closeable NOTHING = () -> {};

  private final Recorder recorder = new Recorder();
  private final OwnerLoop<Runnable> loop = new OwnerLoop<>(NAME, recorder.work());

  /** Runs tasks in order, and keeps the other calls. */
  private final class Recorder {
    private final List<String> noted = new CopyOnWriteArrayList<>();
    private final AtomicInteger steps = new AtomicInteger();
    private volatile long idleNanos = OwnerLoop.FOREVER_NANOS;

    OwnerLoop.Work<Runnable> work() {
      return new OwnerLoop.Work<>(this::step, () -> idleNanos, this::fail, this::end);
    }

    private boolean step() {
      steps.incrementAndGet();
      Runnable task = loop.poll();
      if (task != null) {
        task.run();
      }
      return task != null;
    }

    private void fail(Throwable cause) {
      noted.add("failed: " + cause.getMessage());
    }

    private void end(Runnable task) {
      noted.add("ended on " + Thread.currentThread().getName());
      task.run();
    }
  }

  @AfterEach
  void close() throws IOException {
    loop.close(NOTHING);
  }

  /** Returns when everything that was posted before is done. */
  private void settle() throws InterruptedException {
    CountDownLatch isDone = new CountDownLatch(1);
    loop.post(isDone::countDown);
    isDone.await();
  }

  private Runnable note(String what) {
    return () -> recorder.noted.add(what + " on " + Thread.currentThread().getName());
  }

  @Test
  void tasks_are_done_in_their_order_by_the_thread_that_has_the_name_of_the_loop()
      throws Exception {
    loop.post(note("first"));
    loop.start();
    loop.post(note("second"));
    settle();
    assertThat(recorder.noted).containsExactly("first on " + NAME, "second on " + NAME);
    assertThat(loop.isIdle()).isTrue();
    assertThat(loop.isClosing()).isFalse();
  }

  @Test
  void a_close_waits_for_what_was_posted_before_and_closes_what_is_behind_the_loop_last()
      throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    loop.post(() -> await(mayGoOn));
    loop.post(note("waiting"));
    loop.start();
    Thread closing = new Thread(() -> close(note("behind")), "closer");
    closing.start();
    while (!loop.isClosing()) {
      Thread.onSpinWait();
    }
    loop.post(note("posted meanwhile"));
    assertThat(recorder.noted).isEmpty();
    mayGoOn.countDown();
    closing.join();
    assertThat(recorder.noted)
        .containsExactly("waiting on " + NAME, "posted meanwhile on " + NAME, "behind on closer");
  }

  @Test
  void only_the_first_close_closes_what_is_behind() throws IOException {
    loop.start();
    close(note("behind"));
    close(note("behind"));
    assertThat(recorder.noted).hasSize(1);
  }

  @Test
  void what_cannot_be_closed_is_told_to_who_closes() {
    loop.start();
    assertThatThrownBy(
            () ->
                loop.close(
                    () -> {
                      throw new IOException("the disk failed");
                    }))
        .hasMessage("the disk failed");
  }

  @Test
  void a_task_that_comes_behind_the_end_is_ended_by_who_posts_it_also_one_that_it_posts()
      throws IOException {
    loop.start();
    loop.close(NOTHING);
    String here = Thread.currentThread().getName();
    loop.post(() -> loop.post(note("second")));
    assertThat(recorder.noted)
        .containsExactly("ended on " + here, "ended on " + here, "second on " + here);
    assertThat(loop.isIdle()).isTrue();
  }

  @Test
  void a_loop_that_was_never_started_ends_what_waits_before_what_is_behind_it_is_closed() {
    String here = Thread.currentThread().getName();
    loop.post(note("task"));
    close(note("behind"));
    assertThat(recorder.noted)
        .containsExactly("ended on " + here, "task on " + here, "behind on " + here);
  }

  @Test
  void a_task_that_cannot_be_ended_keeps_neither_the_next_nor_what_is_behind_from_their_end() {
    loop.post(
        () -> {
          throw new IllegalStateException("no end");
        });
    loop.post(note("next"));
    close(note("behind"));
    String here = Thread.currentThread().getName();
    assertThat(recorder.noted).endsWith("next on " + here, "behind on " + here);
  }

  /** As when not even a line can be logged any more. */
  @Test
  void a_thread_that_cannot_even_tell_its_failure_leaves_no_task_without_an_end() throws Exception {
    OwnerLoop<Runnable> broken =
        new OwnerLoop<>(
            "broken",
            new OwnerLoop.Work<>(
                () -> {
                  throw new IllegalStateException("thrown");
                },
                () -> OwnerLoop.FOREVER_NANOS,
                cause -> {
                  throw new IllegalStateException("not told: " + cause.getMessage());
                },
                Runnable::run));
    CountDownLatch isEnded = new CountDownLatch(2);
    broken.post(isEnded::countDown);
    broken.start();
    broken.post(isEnded::countDown);
    isEnded.await();
    broken.close(() -> recorder.noted.add("behind"));
    broken.close(() -> recorder.noted.add("behind again"));
    assertThat(recorder.noted).containsExactly("behind");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_step_that_throws_is_told_to_the_work_and_the_thread_goes_on(boolean isError)
      throws Exception {
    loop.start();
    loop.post(
        () -> {
          if (isError) {
            throw new OutOfMemoryError("thrown");
          }
          throw new IllegalStateException("thrown");
        });
    loop.post(note("next"));
    settle();
    assertThat(recorder.noted).containsExactly("failed: thrown", "next on " + NAME);
  }

  @Test
  void an_action_that_throws_is_no_failure_of_the_loop_but_an_error_is() throws Exception {
    loop.start();
    loop.post(
        () ->
            OwnerLoop.runPosted(
                () -> {
                  throw new IllegalStateException("logged alone");
                }));
    loop.post(
        () ->
            OwnerLoop.runPosted(
                () -> {
                  throw new OutOfMemoryError("told");
                }));
    settle();
    assertThat(recorder.noted).containsExactly("failed: told");
  }

  @Test
  void the_thread_sleeps_without_tasks_and_steps_when_the_work_has_its_time() throws Exception {
    loop.start();
    settle();
    // It looks once more behind the last task, and then only when it is woken.
    while (recorder.steps.get() < 2) {
      Thread.onSpinWait();
    }
    int steps = recorder.steps.get();
    recorder.idleNanos = 1_000;
    settle();
    while (recorder.steps.get() < steps + 50) {
      Thread.onSpinWait();
    }
    recorder.idleNanos = OwnerLoop.FOREVER_NANOS;
    assertThat(recorder.noted).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void an_interrupt_of_who_closes_is_kept_until_all_is_closed(boolean isBefore) throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    AtomicReference<Boolean> wasInterruptedBehind = new AtomicReference<>();
    AtomicBoolean wasInterruptedThen = new AtomicBoolean();
    if (!isBefore) {
      loop.start();
      loop.post(() -> await(mayGoOn));
    }
    Thread closing =
        new Thread(
            () -> {
              if (isBefore) {
                Thread.currentThread().interrupt();
              }
              close(() -> wasInterruptedBehind.set(Thread.currentThread().isInterrupted()));
              wasInterruptedThen.set(Thread.currentThread().isInterrupted());
            });
    closing.start();
    while (!loop.isClosing()) {
      Thread.onSpinWait();
    }
    if (!isBefore) {
      closing.interrupt();
      // Until the closing thread has met it: one that came later could come behind the loop.
      while (closing.isInterrupted()) {
        Thread.onSpinWait();
      }
      mayGoOn.countDown();
    }
    closing.join();
    assertThat(wasInterruptedBehind).hasValue(false);
    assertThat(wasInterruptedThen).isTrue();
  }

  /** Threads post as fast as they can before and while the loop is closed, and once behind that. */
  @Test
  void of_tasks_that_are_posted_beside_a_close_none_is_lost_and_none_taken_twice()
      throws Exception {
    int done = 0;
    int ended = 0;
    for (int round = 0; round < 200; round++) {
      Race race = new Race(3);
      race.run();
      done += race.done.size();
      ended += race.ended.size();
      race.check();
    }
    assertThat(done).isGreaterThan(200);
    assertThat(ended).isGreaterThanOrEqualTo(800);
  }

  /** A task of a thread, and how many that thread had posted before. */
  private record Numbered(int poster, int number) {}

  /** A loop that is closed while threads post. */
  private static final class Race {
    private final List<Numbered> done = new ArrayList<>();
    private final List<Numbered> ended = new ArrayList<>();
    private final int[] posted;
    private final AtomicInteger ending = new AtomicInteger();
    private final AtomicBoolean isBroken = new AtomicBoolean();
    private final CountDownLatch hasBegun = new CountDownLatch(1);
    private final CountDownLatch hasEnded = new CountDownLatch(1);
    private final OwnerLoop<Numbered> loop =
        new OwnerLoop<>(
            NAME,
            new OwnerLoop.Work<>(
                this::step, () -> OwnerLoop.FOREVER_NANOS, cause -> isBroken.set(true), this::end));

    Race(int posters) {
      this.posted = new int[posters];
    }

    private boolean step() {
      Numbered task = loop.poll();
      if (task != null) {
        done.add(task);
        hasBegun.countDown();
      }
      return task != null;
    }

    private void end(Numbered task) {
      // Plain lists would break if two threads were here.
      isBroken.compareAndSet(false, ending.incrementAndGet() != 1);
      ended.add(task);
      ending.decrementAndGet();
    }

    private void post(int poster) {
      int tooLate = 0;
      while (tooLate < 3) {
        tooLate += loop.isClosing() ? 1 : 0;
        loop.post(new Numbered(poster, posted[poster]++));
      }
      await(hasEnded);
      loop.post(new Numbered(poster, posted[poster]++));
    }

    void run() throws Exception {
      List<Thread> posters = new ArrayList<>();
      loop.start();
      for (int i = 0; i < posted.length; i++) {
        int poster = i;
        posters.add(new Thread(() -> post(poster)));
      }
      posters.forEach(Thread::start);
      hasBegun.await();
      loop.close(NOTHING);
      hasEnded.countDown();
      // A loop that has ended ends at once what comes.
      loop.post(new Numbered(0, -1));
      for (Thread poster : posters) {
        poster.join();
      }
    }

    /** The done tasks and then the ended tasks of each thread are the posted tasks, in order. */
    void check() {
      assertThat(isBroken).isFalse();
      assertThat(loop.isIdle()).isTrue();
      assertThat(ended.remove(new Numbered(0, -1))).isTrue();
      List<Numbered> all = new ArrayList<>(done);
      all.addAll(ended);
      int[] next = new int[posted.length];
      for (Numbered task : all) {
        assertThat(task.number()).isEqualTo(next[task.poster()]++);
      }
      assertThat(next).isEqualTo(posted);
    }
  }

  private void close(Runnable behind) {
    try {
      loop.close(behind::run);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
