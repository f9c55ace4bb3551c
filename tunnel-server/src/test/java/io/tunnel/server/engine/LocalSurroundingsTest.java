package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.server.session.Surroundings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a single server has the rows of a tunnel kept. */
final class LocalSurroundingsTest {

  @TempDir private Path directory;
  private final Queue<Runnable> control = new ArrayDeque<>();
  private final Map<Integer, CompletableFuture<Long>> keeping = new TreeMap<>();
  private final List<String> forgotten = new ArrayList<>();
  private final List<Map<Integer, Long>> kept = new ArrayList<>();
  private final List<RefusedException> failures = new ArrayList<>();
  private Shards shards;
  private LocalSurroundings server;

  private final class Rows implements TunnelRows {
    @Override
    public CompletableFuture<Long> keep(String tunnelId, int partition) {
      return keeping.computeIfAbsent(partition, id -> new CompletableFuture<>());
    }

    @Override
    public void forget(String tunnelId) {
      forgotten.add(tunnelId);
    }

    @Override
    public void forget(String tunnelId, int partition) {
      forgotten.add(tunnelId + "/" + partition);
    }

    @Override
    public void read(
        String tunnelId, int partition, Bytes after, long first, int bytesMax, Sink sink) {
      throw new IllegalStateException("nobody reads");
    }
  }

  @BeforeEach
  void open() throws IOException {
    shards =
        Shards.open(
            TestShards.layout(directory, 1, 1 << 20), id -> true, new NoMeter(), new TestClock());
    server = new LocalSurroundings(shards, new Rows(), control::add, new TestClock());
  }

  @AfterEach
  void close() throws IOException {
    shards.close();
  }

  private void keep() {
    server.keepRows(
        "t",
        List.of(1, 2),
        new Surroundings.RowsKept() {
          @Override
          public void kept(Map<Integer, Long> committed) {
            kept.add(committed);
          }

          @Override
          public void failed(RefusedException reason) {
            failures.add(reason);
          }
        });
  }

  private void runControl() {
    for (Runnable next = control.poll(); next != null; next = control.poll()) {
      next.run();
    }
  }

  @Test
  void rows_are_kept_when_those_of_each_partition_are() {
    keep();
    assertThat(keeping.get(2).complete(7L)).isTrue();
    runControl();
    assertThat(kept).isEmpty();
    assertThat(keeping.get(1).complete(3L)).isTrue();
    assertThat(kept).as("on the control thread alone").isEmpty();
    runControl();
    assertThat(kept).containsExactly(Map.of(1, 3L, 2, 7L));
    assertThat(failures).isEmpty();
    assertThat(forgotten).isEmpty();
  }

  @Test
  void no_rows_are_kept_when_those_of_one_partition_are_not() {
    keep();
    assertThat(
            keeping
                .get(1)
                .completeExceptionally(new RefusedException(ErrorCode.STORAGE_FAILED, "disk")))
        .isTrue();
    assertThat(forgotten).as("the others are being taken").isEmpty();
    assertThat(keeping.get(2).complete(7L)).isTrue();
    assertThat(forgotten).containsExactly("t");
    runControl();
    assertThat(kept).isEmpty();
    assertThat(failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.STORAGE_FAILED);
  }
}
