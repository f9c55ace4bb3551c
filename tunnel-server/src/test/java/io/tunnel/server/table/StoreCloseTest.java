package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store is closed while everybody still uses it. A read of freed memory would end this JVM. */
final class StoreCloseTest {

  private static final int ROUNDS = 25;
  private static final int PARTITION = 7;
  private static final TableStoreConfig CONFIG = new TableStoreConfig(1 << 20, 1 << 20, 2);

  @TempDir private Path directory;

  /** One way to use a store. */
  private interface Access {
    void run(TableStore store) throws Exception;
  }

  private static final List<Access> ACCESSES =
      List.of(
          store -> store.get(PARTITION, TestRows.keyBytes("a1")),
          store -> store.scan(PARTITION, Bytes.EMPTY, Bytes.EMPTY, true, (key, columns) -> true),
          store -> store.count(PARTITION, 1_000),
          store -> store.figure("rocksdb.estimate-num-keys"),
          TableStore::durableOffset,
          TableStore::states,
          TableStore::startFlush,
          StoreCloseTest::scanSnapshot);

  private static void scanSnapshot(TableStore store) {
    try (TableSnapshot now = store.snapshot()) {
      if (now.scanBehind(PARTITION, Bytes.EMPTY, (key, columns) -> true)
          == TableSnapshot.Scan.CLOSED) {
        throw new RefusedException(ErrorCode.SHUTTING_DOWN, "closed");
      }
    }
  }

  @Test
  void reads_that_come_late_are_refused_and_those_under_way_end_first() throws Exception {
    ExecutorService readers = Executors.newFixedThreadPool(ACCESSES.size());
    try {
      for (int round = 0; round < ROUNDS; round++) {
        closeUnderReads(directory.resolve("round" + round), readers);
      }
    } finally {
      readers.shutdownNow();
    }
  }

  private static void closeUnderReads(Path path, ExecutorService readers) throws Exception {
    TableStore store = TableStore.open(path, CONFIG, () -> {});
    store.fold(
        List.of(
            TestRows.batch(PARTITION, TestRows.put("a1"), TestRows.put("a2"), TestRows.put("a3"))),
        1);
    CountDownLatch begun = new CountDownLatch(ACCESSES.size());
    List<Future<ErrorCode>> ends = new ArrayList<>();
    for (Access access : ACCESSES) {
      ends.add(readers.submit(() -> useUntilRefused(store, access, begun)));
    }
    begun.await();
    store.close();
    store.close();
    for (Future<ErrorCode> end : ends) {
      assertThat(end.get()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }
  }

  /** A figure is 0 of a closed store, and is not refused. */
  private static ErrorCode useUntilRefused(TableStore store, Access access, CountDownLatch begun)
      throws Exception {
    access.run(store);
    begun.countDown();
    try {
      while (true) {
        access.run(store);
        if (store.figure("rocksdb.num-live-versions") == 0) {
          return ErrorCode.SHUTTING_DOWN;
        }
      }
    } catch (RefusedException e) {
      return e.code();
    }
  }
}
