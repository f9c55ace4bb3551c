package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.CrashDisk.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Partitions whose changes are forgotten, and whose positions are given again. */
class LogForgetTest {

  private static final int PARTITIONS = 3;

  private final TreeMap<Integer, List<Long>> model = new TreeMap<>();
  private final Map<Integer, Long> next = new HashMap<>();
  private long value;

  static LongStream seeds() {
    return LongStream.range(0, 150);
  }

  private static LocalLog open(CrashDisk disk) throws IOException {
    return TestLogs.open(disk, 0, 700);
  }

  private static ChangeBatch batch(int partition, long position, long value) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.add(TestRows.put("k", new Column("c", ColumnValue.fromLong(value))));
    byte[] array = builder.build(partition, position, 1_000 + value);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private void adopt(LocalLog log, int partition) throws IOException {
    value++;
    long position = next.getOrDefault(partition, 1L);
    log.adopt(List.of(batch(partition, position, value)));
    next.put(partition, position + 1);
    model.computeIfAbsent(partition, id -> new ArrayList<>()).add(value);
  }

  private void forget(LocalLog log, int partition, long from) throws IOException {
    log.forget(partition, from);
    next.put(partition, from);
    model.put(partition, new ArrayList<>());
  }

  private void requireEqual(LocalLog log) throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      List<Long> values = model.getOrDefault(partition, List.of());
      long first = next.getOrDefault(partition, 1L) - values.size();
      assertThat(log.committed(partition)).isEqualTo(first + values.size() - 1);
      assertThat(log.firstPosition(partition)).isEqualTo(first);
      List<Long> read =
          TestLogs.batches(log, partition, first).stream()
              .map(batch -> batch.commitMicros() - 1_000)
              .toList();
      assertThat(read).isEqualTo(values);
      assertThat(log.bytesAfter(partition, first - 1) == 0).isEqualTo(values.isEmpty());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void forgotten_changes_are_not_read_again_whatever_positions_follow_and_whatever_crashes(
      long seed) throws IOException {
    Random random = new Random(seed);
    CrashDisk disk = new CrashDisk();
    LocalLog log = open(disk);
    for (int step = 0; step < 60; step++) {
      int partition = 1 + random.nextInt(PARTITIONS);
      switch (random.nextInt(12)) {
        case 0, 1 -> {
          long last = next.getOrDefault(partition, 1L);
          forget(log, partition, 1 + random.nextInt((int) last + 4));
        }
        case 2 -> {
          // Kills and losses of power, after which the log has all that was synced.
          log.sync();
          disk = random.nextBoolean() ? disk.kill() : disk.crash(random);
          log = open(disk);
        }
        case 3 -> {
          log.close();
          disk = disk.kill();
          log = open(disk);
        }
        case 4 -> {
          LocalLog.Freed unused = log.trim(Map.of(), id -> true, log.syncedOffset());
        }
        default -> adopt(log, partition);
      }
      requireEqual(log);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_forget_that_fails_is_there_or_not_there_after_a_crash(long seed) throws IOException {
    Random random = new Random(seed);
    CrashDisk disk = new CrashDisk();
    LocalLog log = open(disk);
    for (int i = 0; i < 12; i++) {
      adopt(log, 1 + random.nextInt(2));
    }
    long last = log.committed(1);
    log.sync();
    disk.failAfter(random.nextBoolean() ? Operation.REPLACE : Operation.SYNC, random.nextInt(3));
    boolean isForgotten;
    try {
      log.forget(1, 3);
      isForgotten = true;
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
      isForgotten = false;
    }
    log = open(random.nextBoolean() ? disk.kill() : disk.crash(random));
    if (isForgotten) {
      assertThat(log.committed(1)).isEqualTo(2);
    } else {
      assertThat(log.committed(1)).isIn(2L, last);
    }
    forget(log, 1, 3);
    adopt(log, 1);
    requireEqual(log);
  }

  @Test
  void a_reader_of_forgotten_positions_is_refused_and_the_log_says_that_it_is_not_whole()
      throws IOException {
    LocalLog log = open(new CrashDisk());
    adopt(log, 1);
    adopt(log, 2);
    assertThat(log.isWhole()).isTrue();
    forget(log, 1, 9);
    assertThat(log.isWhole()).isFalse();
    adopt(log, 1);
    assertThat(log.keptFrom(1)).isEqualTo(9);
    assertThatThrownBy(() -> log.plan(1, 1, 100))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST));
    assertThatThrownBy(() -> log.adopt(List.of(batch(1, 9, 1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void segments_that_have_only_forgotten_changes_are_deleted() throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = open(disk);
    for (int i = 0; i < 40; i++) {
      adopt(log, 1);
    }
    assertThat(log.segmentCount()).isGreaterThan(3);
    forget(log, 1, 5);
    log.sync();
    LocalLog.Freed freed = log.trim(Map.of(), id -> true, log.syncedOffset());
    assertThat(freed.segments()).isPositive();
    assertThat(log.segmentCount()).isEqualTo(1);
    adopt(log, 1);
    log.sync();
    log = open(disk.kill());
    requireEqual(log);
  }
}
