package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.TappedDisk;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two threads sync one log: its owner, and RocksDB's before rows become a file. */
final class SyncedEndTest {

  private final TappedDisk disk = new TappedDisk(new CrashDisk());
  private LocalLog log;

  @BeforeEach
  void open() throws IOException {
    log = LocalLog.open(disk, 0, 1 << 20);
    append(true);
  }

  private void append(boolean sync) throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("row")));
    log.append(group, sync, 1);
  }

  @Test
  void a_sync_waits_for_the_one_under_way_and_fails_with_it() throws Exception {
    append(false);
    long synced = log.syncedOffset();
    CountDownLatch isUnderWay = new CountDownLatch(1);
    CountDownLatch mayFail = new CountDownLatch(1);
    AtomicInteger syncs = new AtomicInteger();
    disk.tap(
        (operation, file) -> {
          // The system tells of a failed write once: a second sync would succeed.
          if (syncs.incrementAndGet() == 1) {
            isUnderWay.countDown();
            await(mayFail);
            throw new IOException("Input/output error");
          }
        });
    Attempt first = new Attempt();
    await(isUnderWay);
    Attempt second = new Attempt();
    while (!second.waits() && !second.outcome.isDone()) {
      Thread.onSpinWait();
    }
    mayFail.countDown();
    assertThat(first.outcome.get(60, TimeUnit.SECONDS)).isEqualTo("Input/output error");
    assertThat(second.outcome.get(60, TimeUnit.SECONDS)).contains("failed before");
    assertThat(syncs).hasValue(1);
    assertThat(log.syncedOffset()).isEqualTo(synced);
    assertThat(log.hasFailed()).isTrue();
    assertThatThrownBy(() -> append(false)).hasMessageContaining("failed before");
  }

  /** A sync on a thread of its own, and its failure in words. */
  private final class Attempt {
    private final CompletableFuture<String> outcome = new CompletableFuture<>();
    private final Thread thread = new Thread(this::sync);

    Attempt() {
      thread.start();
    }

    boolean waits() {
      return switch (thread.getState()) {
        case BLOCKED, WAITING, TIMED_WAITING -> true;
        case NEW, RUNNABLE, TERMINATED -> false;
      };
    }

    private void sync() {
      try {
        log.sync();
        outcome.complete("synced");
      } catch (IOException e) {
        outcome.complete(e.getMessage());
      }
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new IOException("waited in vain");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void what_is_appended_during_a_sync_does_not_count_as_synced() throws Exception {
    append(false);
    long end = log.end();
    disk.tap(
        (operation, file) -> {
          if (operation.equals("sync")) {
            append(false);
          }
        });
    log.sync();
    assertThat(log.end()).isGreaterThan(end);
    assertThat(log.syncedOffset()).isEqualTo(end);
  }

  @Test
  void a_group_during_which_the_log_fails_is_not_committed() throws Exception {
    long committed = log.committed(1);
    disk.tap(
        (operation, file) -> {
          if (operation.equals("sync")) {
            throw new IOException("Input/output error");
          }
          assertThatThrownBy(log::sync).hasMessage("Input/output error");
        });
    assertThatThrownBy(() -> append(false)).hasMessageContaining("failed before");
    assertThat(log.committed(1)).isEqualTo(committed);
  }
}
