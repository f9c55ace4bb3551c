package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LocalLogTest {

  static LongStream seeds() {
    return LongStream.range(0, 120);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void what_was_synced_survives_any_crash_and_the_rest_is_lost_from_the_end_only(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    for (int life = 0; life < 5; life++) {
      history.append(history.random.nextInt(12));
      history.endLife();
      history.requireEqual();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_step_looks_the_same_to_readers(long seed) throws IOException {
    LogHistory history = new LogHistory(seed);
    for (int step = 0; step < 8; step++) {
      history.append(1);
      history.requireEqual();
    }
  }

  @Test
  void no_change_is_committed_before_a_time_that_has_passed_when_the_clock_is_set_back()
      throws IOException {
    LogHistory history = new LogHistory(3);
    history.append(1);
    long passed = history.model.newestMicros() + 1_000_000;
    history.log.passed(passed);
    history.log.passed(passed - 1);
    int partition = 1;
    long before = history.log.positionBefore(partition, passed);
    history.append(20);
    assertThat(history.log.committed(partition)).isGreaterThan(before);
    assertThat(history.log.positionBefore(partition, passed)).isEqualTo(before);
    history.log.passed(Long.MIN_VALUE);
    assertThat(history.log.commitMicrosAfter(partition, before)).isGreaterThanOrEqualTo(passed);
  }

  @Test
  void readers_on_other_threads_see_whole_batches_in_order_while_the_log_grows() throws Exception {
    LogHistory history = new LogHistory(5);
    history.append(1);
    AtomicBoolean isDone = new AtomicBoolean();
    ExecutorService readers = Executors.newFixedThreadPool(2);
    try {
      List<Future<Long>> reads =
          List.of(
              readers.submit(() -> follow(history.log, new Random(1), isDone)),
              readers.submit(() -> follow(history.log, new Random(2), isDone)));
      for (int i = 0; i < 1_500; i++) {
        history.append(false);
      }
      isDone.set(true);
      for (Future<Long> read : reads) {
        assertThat(read.get()).isEqualTo(history.log.committed(1));
      }
    } finally {
      isDone.set(true);
      readers.shutdown();
    }
  }

  /** Follows partition 1 as a channel does; {@link LogModel#read} checks each plan. */
  private static long follow(LocalLog log, Random random, AtomicBoolean isDone) throws IOException {
    long last = 0;
    boolean isLastLook;
    do {
      isLastLook = isDone.get();
      last += LogModel.read(log, 1, last + 1, random).size();
    } while (!isLastLook);
    return last;
  }

  @Test
  void a_position_that_is_not_kept_is_refused_by_name() throws IOException {
    LogHistory history = new LogHistory(1);
    history.append(5);
    assertThatThrownBy(() -> history.log.plan(1, 0, 1))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no longer kept");
  }

  @Test
  void an_unknown_partition_has_no_changes() throws IOException {
    LogHistory history = new LogHistory(1);
    assertThat(history.log.committed(99)).isZero();
    assertThat(history.log.firstPosition(99)).isEqualTo(1);
    assertThat(history.log.plan(99, 1, 1_000).isEmpty()).isTrue();
    assertThat(history.log.bytesAfter(99, 0)).isZero();
    assertThat(history.log.commitMicrosAfter(99, 0)).isZero();
  }

  @Test
  void a_replay_behind_the_end_is_refused_because_the_log_is_older_than_its_table()
      throws IOException {
    LogHistory history = new LogHistory(1);
    assertThatThrownBy(() -> history.log.replay(history.log.end() + 1, null))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("older than the table");
  }

  @Test
  void listeners_are_told_of_every_commit_until_they_leave() throws IOException {
    LogHistory history = new LogHistory(3);
    long[] told = new long[1];
    ChangeReader.CommitListener listener = (partition, position) -> told[0] = position;
    history.log.subscribe(2, listener);
    history.append(20);
    long committed = history.log.committed(2);
    assertThat(told[0]).isEqualTo(committed).isPositive();
    history.log.unsubscribe(2, listener);
    history.append(20);
    assertThat(told[0]).isEqualTo(committed).isLessThan(history.log.committed(2));
  }

  @Test
  void a_file_that_is_not_named_as_a_segment_is_left_alone() throws IOException {
    LogHistory history = new LogHistory(3);
    history.append(true);
    history.disk.put("copy of 1.log", new byte[] {1});
    history.crash();
    history.requireEqual();
    assertThat(history.disk.bytes("copy of 1.log")).containsExactly(1);
  }
}
