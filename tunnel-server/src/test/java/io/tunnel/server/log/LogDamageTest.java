package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.CrashDisk;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Durable bytes that change are refused, bytes that never became durable are cut off. */
final class LogDamageTest {

  private static final int FLIPS_PER_SEED = 25;

  static LongStream seeds() {
    return LongStream.range(0, 30);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_bit_that_turns_over_in_durable_bytes_is_reported_and_nothing_is_cut(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(12);
    history.append(true);
    long vouchedFor = history.log.end();
    history.append(true);
    CrashDisk whole = stopped(history);
    Random random = new Random(seed);
    for (int i = 0; i < FLIPS_PER_SEED; i++) {
      String name = pick(random, whole.names(".log"));
      long base = Long.parseLong(name.substring(0, 20));
      int end = (int) Math.min(whole.bytes(name).length, vouchedFor - base);
      if (end > 0) {
        history.disk = whole.copy();
        int offset = random.nextInt(end);
        history.disk.flip(name, offset, random.nextInt(8));
        requireReportedOrWhole(history, name + " byte " + offset);
      }
    }
  }

  /** Half of the histories end gracefully, and so have an index of their last segment. */
  private static CrashDisk stopped(LogHistory history) throws IOException {
    if (history.random.nextBoolean()) {
      history.close();
      return history.disk.copy();
    }
    return history.disk.kill().copy();
  }

  private static <T> T pick(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** Only a group's header may change unseen, since readers do not need it; rows are all there. */
  private static void requireReportedOrWhole(LogHistory history, String where) throws IOException {
    CrashDisk before = history.disk.copy();
    try {
      history.open();
    } catch (CorruptLogException e) {
      assertThat(e).hasMessageContaining("file ");
      for (String name : before.names("")) {
        assertThat(history.disk.bytes(name)).as(where).isEqualTo(before.bytes(name));
      }
      assertThat(history.disk.openFiles()).as(where).isZero();
      return;
    }
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      try {
        assertThat(LogModel.read(history.log, partition, 1, history.random))
            .as("partition %d, %s", partition, where)
            .isEqualTo(history.model.rows(partition));
      } catch (RefusedException e) {
        assertThat(e.code()).as(where).isEqualTo(ErrorCode.CORRUPT);
      }
    }
  }

  /**
   * What no later group vouches for cannot be told from a write that the machine went down in: the
   * price of one sync per group. It is at most what was written after the last but one sync.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void damage_in_the_last_synced_group_is_taken_for_a_torn_write_and_cut_off(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(10);
    history.append(true);
    history.model.requirePrefixOf(history.log);
    long start = history.log.end();
    LogModel before = history.model.copy();
    history.append(true);
    history.disk = history.disk.crash(history.random);
    List<String> names = history.disk.names(".log");
    String last = names.get(names.size() - 1);
    long base = Long.parseLong(last.substring(0, 20));
    int from = (int) Math.max(LogFormat.SEGMENT_HEADER_BYTES, start - base);
    int length = history.disk.bytes(last).length;
    history.disk.flip(last, from + history.random.nextInt(length - from), 3);
    history.open();
    before.requireEqual(history.log, history.random);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void index_files_may_be_missing_or_damaged_or_old(long seed) throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(20);
    history.close();
    for (String name : history.disk.names(".index")) {
      byte[] index = history.disk.bytes(name);
      switch (history.random.nextInt(4)) {
        case 0 -> history.disk.delete(name);
        case 1 -> history.disk.put(name, Arrays.copyOf(index, index.length / 2));
        case 2 -> history.disk.flip(name, history.random.nextInt(index.length), 1);
        default -> history.disk.put(name, new byte[0]);
      }
    }
    history.open();
    history.requireEqual();
    history.append(20);
    history.requireEqual();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void an_index_from_an_earlier_stop_serves_as_far_as_it_goes(long seed) throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(3);
    history.close();
    List<String> names = history.disk.names(".index");
    String name = names.get(names.size() - 1);
    byte[] old = history.disk.bytes(name);
    history.open();
    history.append(3);
    history.close();
    history.disk.put(name, old);
    history.open();
    history.requireEqual();
  }

  @Test
  void a_segment_that_is_shorter_than_its_index_says_is_refused() throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(3);
    history.close();
    List<String> names = history.disk.names(".log");
    String last = names.get(names.size() - 1);
    byte[] bytes = history.disk.bytes(last);
    for (int length : new int[] {0, LogFormat.SEGMENT_HEADER_BYTES, bytes.length - 1}) {
      history.disk.put(last, Arrays.copyOf(bytes, length));
      assertThatThrownBy(history::open)
          .isInstanceOf(CorruptLogException.class)
          .hasMessageContaining("restore the file");
      assertThat(history.disk.bytes(last)).hasSize(length);
    }
  }

  @Test
  void a_missing_segment_in_the_middle_is_named() throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(60);
    history.close();
    List<String> names = history.disk.names(".log");
    assertThat(names).hasSizeGreaterThan(2);
    history.disk.delete(names.get(1));
    assertThatThrownBy(history::open)
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("the log has a gap: file " + names.get(0));
  }

  @Test
  void a_missing_first_segment_is_named_unless_it_was_given_up() throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(60);
    history.close();
    List<String> names = history.disk.names(".log");
    history.disk.delete(names.get(0));
    assertThatThrownBy(history::open)
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("the log has a gap: it begins at offset 0, the next starts at");
    assertThat(history.disk.openFiles()).isZero();
  }

  @Test
  void after_a_trim_any_further_file_that_is_missing_or_a_damaged_trim_file_is_refused()
      throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(60);
    history.log.trim(Map.of(1, history.bases().first()), id -> id == 1, Long.MAX_VALUE);
    history.log.seal();
    history.close();
    assertThat(history.disk.names(LogFormat.TRIM_NAME)).hasSize(1);
    assertThat(history.disk.names(".log").get(0)).isNotEqualTo(LogFormat.segmentName(0));
    CrashDisk whole = history.disk;
    List<String> names = whole.names(".log");
    // Only the table knows that the log went on when its last file is missing.
    for (String name : names.subList(0, names.size() - 1)) {
      history.disk = whole.copy();
      history.disk.delete(name);
      requireRefused(history, "the log has a gap");
    }
    history.disk = whole.copy();
    whole.names(".log").forEach(name -> delete(history.disk, name));
    requireRefused(history, "the log has a gap");
    history.disk = whole.copy();
    history.disk.delete(LogFormat.TRIM_NAME);
    requireRefused(history, "the log has a gap");
    byte[] trimmed = whole.bytes(LogFormat.TRIM_NAME);
    for (int i = 0; i < trimmed.length; i++) {
      history.disk = whole.copy();
      history.disk.flip(LogFormat.TRIM_NAME, i, i % 8);
      requireRefused(history, "damaged");
      history.disk.put(LogFormat.TRIM_NAME, Arrays.copyOf(trimmed, i));
      requireRefused(history, "damaged");
    }
    history.disk = whole.copy();
    history.open();
  }

  private static void delete(CrashDisk disk, String name) {
    assertThatNoException().isThrownBy(() -> disk.delete(name));
  }

  private static void requireRefused(LogHistory history, String message) {
    assertThatThrownBy(history::open)
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining(message);
    assertThat(history.disk.openFiles()).isZero();
  }

  @Test
  void the_segment_of_another_shard_is_refused() throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(true);
    CrashDisk disk = history.disk.kill();
    assertThatThrownBy(() -> LocalLog.open(disk, LogHistory.SHARD + 1, 1_000))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("of shard " + (LogHistory.SHARD + 1));
  }

  @Test
  void a_last_segment_whose_header_was_never_written_is_begun_anew() throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(true);
    long end = history.log.end();
    history.disk = history.disk.kill();
    for (int length : new int[] {0, 7, LogFormat.SEGMENT_HEADER_BYTES}) {
      history.disk.put(LogFormat.segmentName(end), new byte[length]);
      history.open();
      history.requireEqual();
      history.append(true);
      history.requireEqual();
      history.disk = history.disk.kill();
      history.open();
      history.requireEqual();
      history.disk = history.disk.kill();
      end = history.log.end();
    }
  }

  @Test
  void commit_times_do_not_jump_with_a_bit_of_the_newest_batch() throws IOException {
    LogHistory history = new LogHistory(2);
    history.append(true);
    history.close();
    String name = LogFormat.segmentName(0);
    int batch = LogFormat.SEGMENT_HEADER_BYTES + LogFormat.GROUP_HEADER_BYTES;
    int commitMicros = batch + 24;
    history.disk.flip(name, commitMicros, 6);
    assertThatThrownBy(history::open).isInstanceOf(CorruptLogException.class);
  }
}
