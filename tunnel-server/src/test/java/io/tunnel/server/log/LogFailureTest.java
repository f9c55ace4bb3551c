package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.disk.CrashDisk.Operation;
import io.tunnel.server.disk.DiskFullException;
import java.io.IOException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A disk that fails under a log. */
final class LogFailureTest {

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void after_a_failure_nothing_is_appended_and_a_reopen_finds_everything_synced(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    Operation[] operations = {Operation.WRITE, Operation.SYNC, Operation.OPEN, Operation.REPLACE};
    history.append(5);
    history.disk.failAfter(
        operations[history.random.nextInt(operations.length)], history.random.nextInt(4));
    assertThatThrownBy(() -> history.append(1_000)).hasMessageContaining("injected");
    // A segment that rests has to be opened again.
    history.disk.failAfter(Operation.OPEN, Integer.MAX_VALUE);
    history.requireReadable();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> history.append(1)).hasMessageContaining("failed before");
    }
    history.requireReadable();
    history.disk = history.disk.crash(history.random);
    history.open();
    // The group that failed may be there as well: nobody was told either way.
    history.requireSynced();
  }

  /** The pages that could not be written are there, and no sync writes them unless they change. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void what_a_start_finds_behind_a_failed_sync_is_durable_from_then_on(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(history.random.nextInt(20));
    history.disk.failAfter(Operation.SYNC, history.random.nextInt(3));
    assertThatThrownBy(() -> history.append(1_000)).hasMessageContaining("injected");
    history.disk = history.disk.kill();
    history.open();
    history.requireSynced();
    long[] found = committed(history);
    if (history.random.nextBoolean()) {
      history.log.close();
    }
    history.disk = history.disk.crash(history.random);
    history.open();
    assertThat(committed(history)).isEqualTo(found);
  }

  private static long[] committed(LogHistory history) {
    return LongStream.rangeClosed(1, LogHistory.PARTITIONS)
        .map(partition -> history.log.committed((int) partition))
        .toArray();
  }

  @Test
  void a_sync_that_fails_on_another_threads_account_stops_appends_too() throws IOException {
    LogHistory history = new LogHistory(1);
    history.append(false);
    long synced = history.log.syncedOffset();
    history.disk.failAfter(Operation.SYNC, 0);
    assertThatThrownBy(history.log::sync).isInstanceOf(IOException.class);
    history.disk.failAfter(Operation.SYNC, Integer.MAX_VALUE);
    assertThatThrownBy(history.log::sync)
        .as("the system reports a failed sync only once")
        .hasMessageContaining("failed before");
    assertThatThrownBy(() -> history.append(true)).hasMessageContaining("failed before");
    assertThat(history.log.syncedOffset()).isEqualTo(synced);
    history.requireEqual();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_disk_without_room_takes_nothing_and_the_log_goes_on_when_there_is_room(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    int refused = 0;
    for (int i = 0; i < 60; i++) {
      history.disk.room(history.random.nextInt(3) == 0 ? history.random.nextInt(4_000) : 1 << 20);
      try {
        history.append(1);
      } catch (DiskFullException e) {
        refused++;
        assertThat(history.log.hasFailed()).isFalse();
      }
    }
    assertThat(refused).isPositive();
    history.disk.room(Long.MAX_VALUE);
    history.requireEqual();
    history.append(3);
    history.endLife();
    history.requireEqual();
    history.append(3);
    history.crash();
    history.requireEqual();
  }

  /** With ever more room: for nothing, for the index, for a part of the next header, for all. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_seal_that_finds_no_room_takes_nothing(long seed) throws IOException {
    int step = LogFormat.SEGMENT_HEADER_BYTES - 8;
    int headers = 0;
    boolean isSealed = false;
    for (int room = 0; !isSealed; room += step) {
      LogHistory history = new LogHistory(seed);
      history.append(3);
      int files = history.disk.names(".log").size();
      history.disk.room(room);
      isSealed = seals(history.log);
      if (!isSealed && history.disk.names(".log").size() > files) {
        headers++;
        history.disk.room(0);
        assertThat(seals(history.log)).isFalse();
      }
      history.disk.room(Long.MAX_VALUE);
      switch (history.random.nextInt(4)) {
        case 0 -> history.endLife();
        case 1 -> history.log.seal();
        default -> {}
      }
      history.append(3);
      history.requireEqual();
      history.endLife();
      history.append(3);
      history.requireEqual();
    }
    assertThat(headers).as("seals that found room for the index and not for a header").isPositive();
  }

  private static boolean seals(LocalLog log) throws IOException {
    try {
      log.seal();
      return true;
    } catch (DiskFullException e) {
      assertThat(log.hasFailed()).isFalse();
      return false;
    }
  }

  @Test
  void a_listener_that_fails_is_no_failure_of_the_log() throws IOException {
    LogHistory history = new LogHistory(1);
    long[] told = new long[1];
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      history.log.subscribe(
          partition,
          (id, position) -> {
            throw new IllegalStateException("gone");
          });
      history.log.subscribe(partition, (id, position) -> told[0]++);
    }
    history.append(10);
    history.requireEqual();
    assertThat(told[0]).isPositive();
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"READ", "SYNC", "OPEN"})
  void an_open_that_fails_leaves_no_file_open(Operation operation) throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    history.disk = history.disk.kill();
    history.disk.failAfter(operation, 0);
    assertThatThrownBy(history::open).isInstanceOf(IOException.class);
    assertThat(history.disk.openFiles()).isZero();
  }

  /** The group may be in the file and not in the index: an index stored later would hide it. */
  @Test
  void an_error_under_an_append_stops_appends() throws IOException {
    LogHistory history = new LogHistory(1);
    history.append(10);
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      history.log.subscribe(
          partition,
          (id, position) -> {
            throw new OutOfMemoryError("injected");
          });
    }
    assertThatThrownBy(() -> history.append(true)).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> history.append(true)).hasMessageContaining("failed before");
  }
}
