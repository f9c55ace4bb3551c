package io.tunnel.programs.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ProgramThreadTest {

  @Test
  void a_thread_that_is_stopped_has_undone_what_it_made() throws Exception {
    CompletableFuture<ProgramThread> started = new CompletableFuture<>();
    AtomicBoolean isThere = new AtomicBoolean();
    Thread program =
        new Thread(
            () -> {
              try (ProgramThread running = new ProgramThread()) {
                isThere.set(true);
                started.complete(running);
                awaitInterrupt();
                isThere.set(false);
              }
            });
    program.start();
    started.get(10, TimeUnit.SECONDS).stop();
    assertThat(isThere).isFalse();
    program.join(TimeUnit.SECONDS.toMillis(10));
    assertThat(program.isAlive()).isFalse();
  }

  private static void awaitInterrupt() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException stopped) {
      // As the test wants it.
    }
  }
}
