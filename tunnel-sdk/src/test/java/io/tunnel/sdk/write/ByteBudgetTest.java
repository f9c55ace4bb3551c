package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.transport.EventLoops;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ByteBudgetTest {

  private final ByteBudget budget = new ByteBudget(10);
  private final AtomicInteger pressure = new AtomicInteger();

  @Test
  void a_budget_is_full_with_its_last_byte_and_counts_beyond_it() {
    budget.take(9);
    assertThat(budget.isFull()).isFalse();
    budget.awaitRoom(pressure::incrementAndGet);
    budget.take(1);
    assertThat(budget.isFull()).isTrue();
    budget.take(5);
    assertThat(budget.used()).isEqualTo(15);
    budget.giveBack(6);
    assertThat(budget.isFull()).isFalse();
    assertThat(budget.hasWaiting()).isFalse();
    assertThat(pressure).as("nobody had to wait").hasValue(0);
    assertThatThrownBy(() -> budget.giveBack(10)).hasMessageContaining("a buffer of -1 bytes");
  }

  @Test
  void who_finds_no_room_asks_for_some_and_waits_for_it() throws Exception {
    budget.take(10);
    CompletableFuture<Boolean> waited = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              budget.awaitRoom(pressure::incrementAndGet);
              waited.complete(Thread.currentThread().isInterrupted());
            });
    thread.setDaemon(true);
    thread.start();
    Waits.until("the wait", () -> thread.getState() == Thread.State.WAITING);
    assertThat(pressure).hasValue(1);
    assertThat(budget.hasWaiting()).isTrue();
    assertThat(waited).isNotDone();
    budget.giveBack(1);
    assertThat(waited.get(60, TimeUnit.SECONDS)).isFalse();
    assertThat(budget.hasWaiting()).isFalse();
  }

  @Test
  void who_is_interrupted_waits_on_and_stays_interrupted() throws Exception {
    budget.take(10);
    CompletableFuture<Boolean> waited = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              // Each round of the wait, of which the interruption ends the first, asks for room.
              budget.awaitRoom(
                  () -> {
                    if (pressure.incrementAndGet() == 2) {
                      budget.giveBack(1);
                    }
                  });
              waited.complete(Thread.currentThread().isInterrupted());
            });
    thread.setDaemon(true);
    thread.start();
    thread.interrupt();
    assertThat(waited.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(pressure).hasValue(2);
    assertThat(budget.hasWaiting()).isFalse();
  }

  @Test
  void a_callback_thread_never_waits() {
    budget.take(10);
    try (EventLoops.Place place = new EventLoops(1).place()) {
      assertThatThrownBy(
              () ->
                  place
                      .loop()
                      .submit(() -> budget.awaitRoom(pressure::incrementAndGet))
                      .get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .hasMessageContaining("adding a row while the buffer of 10 bytes is full would block");
    }
    assertThat(pressure).hasValue(0);
    assertThat(budget.hasWaiting()).isFalse();
  }
}
