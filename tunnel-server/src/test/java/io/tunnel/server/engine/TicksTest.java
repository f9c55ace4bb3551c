package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.server.Logged;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TicksTest {

  private static final long GAP_NANOS_MAX = 300;

  private final List<String> done = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 500;

  private void tick(Ticks ticks, long nanosLater) {
    nowNanos += nanosLater;
    ticks.run();
  }

  @Test
  void after_a_stall_what_waits_comes_first() {
    Ticks ticks = new Ticks(() -> nowNanos, GAP_NANOS_MAX, List.of(() -> done.add("look")));
    tick(ticks, 0);
    tick(ticks, GAP_NANOS_MAX);
    assertThat(done).hasSize(2);
    tick(ticks, GAP_NANOS_MAX + 1);
    assertThat(done).as("the tick that comes late").hasSize(2);
    tick(ticks, 1);
    assertThat(done).hasSize(3);
  }

  @Test
  void a_thread_that_is_always_slow_still_looks_every_second_time() {
    Ticks ticks = new Ticks(() -> nowNanos, GAP_NANOS_MAX, List.of(() -> done.add("look")));
    for (int i = 0; i < 9; i++) {
      tick(ticks, 10 * GAP_NANOS_MAX);
    }
    assertThat(done).hasSize(4);
  }

  @Test
  void a_thread_that_is_held_up_all_the_time_logs_a_line_a_minute_with_the_count() {
    long minute = TimeUnit.MINUTES.toNanos(1);
    try (Logged logged = Logged.of(Ticks.class)) {
      Ticks ticks = new Ticks(() -> nowNanos, GAP_NANOS_MAX, List.of());
      tick(ticks, 7_000_000);
      assertThat(logged.at(Level.WARN)).singleElement().asString().contains("1 times", "7 ms");
      logged.clear();
      for (int i = 0; i < 4; i++) {
        tick(ticks, 1);
        tick(ticks, 2_000_000);
      }
      assertThat(logged.at(Level.WARN)).isEmpty();
      tick(ticks, 1);
      tick(ticks, minute);
      assertThat(logged.at(Level.WARN)).singleElement().asString().contains("5 times", "60000 ms");
    }
  }

  @Test
  void a_look_that_fails_keeps_neither_the_others_nor_the_next_tick_from_being_done() {
    List<Runnable> looks =
        List.of(
            () -> {
              throw new IllegalStateException("fails");
            },
            () -> {
              throw new InternalError("injected");
            },
            () -> done.add("last"));
    Ticks ticks = new Ticks(() -> nowNanos, GAP_NANOS_MAX, looks);
    tick(ticks, 0);
    tick(ticks, 1);
    assertThat(done).containsExactly("last", "last");
  }

  @Test
  void what_is_looked_at_every_millisecond_is_looked_at_again_after_a_failure()
      throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(3);
    OwnThread thread = new OwnThread("looks");
    try {
      Ticks.every(
          thread,
          () -> nowNanos,
          1,
          () -> {
            looks.countDown();
            throw new IllegalStateException("fails");
          });
      assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      thread.shutdownNow();
    }
  }
}
