package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OwnThreadTest {

  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  /** Keeps what would be logged. */
  private final class Listened extends OwnThread {
    Listened() {
      super("own");
    }

    @Override
    void failed(Throwable failure) {
      failures.add(failure);
    }
  }

  @Test
  void what_a_task_fails_with_is_seen_and_the_next_one_is_done() throws Exception {
    OwnThread thread = new Listened();
    RuntimeException first = new IllegalStateException("first");
    Error second = new AssertionError("second");
    thread.execute(
        () -> {
          throw first;
        });
    thread.schedule(
        () -> {
          throw second;
        },
        0,
        TimeUnit.MILLISECONDS);
    String name = thread.submit(() -> Thread.currentThread().getName()).get(60, TimeUnit.SECONDS);
    assertThat(name).isEqualTo("own");
    thread.shutdown();
    assertThat(thread.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(failures).containsExactly(first, second);
  }

  @Test
  void what_is_cancelled_did_not_fail() throws Exception {
    OwnThread thread = new Listened();
    thread.scheduleWithFixedDelay(() -> {}, 0, 1, TimeUnit.MILLISECONDS).cancel(false);
    thread.submit(() -> {}).get(60, TimeUnit.SECONDS);
    thread.shutdown();
    assertThat(thread.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(failures).isEmpty();
  }
}
