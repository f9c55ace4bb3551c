package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Finding positions by time; the histories set their clock back now and then. */
final class PositionBeforeTest {

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void is_the_last_change_that_a_walk_through_all_of_them_finds_before_the_moment(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(40);
    requireAsWalked(history);
    history.close();
    history.open();
    history.append(5);
    requireAsWalked(history);
  }

  private static void requireAsWalked(LogHistory history) throws IOException {
    TreeSet<Long> moments = new TreeSet<>(List.of(Long.MIN_VALUE, 0L, Long.MAX_VALUE));
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      for (LogModel.LoggedRow row : history.model.rows(partition)) {
        moments.add(row.commitMicros());
        moments.add(row.commitMicros() + 1);
      }
    }
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      for (long moment : moments) {
        assertThat(history.log.positionBefore(partition, moment))
            .as("partition %d before %d", partition, moment)
            .isEqualTo(walk(history.model.rows(partition), moment));
      }
    }
  }

  private static long walk(List<LogModel.LoggedRow> rows, long moment) {
    int before = 0;
    while (before < rows.size() && rows.get(before).commitMicros() < moment) {
      before++;
    }
    return before;
  }

  @Test
  void histories_have_what_the_search_may_stumble_over() throws IOException {
    LogHistory history = new LogHistory(1);
    history.append(40);
    assertThat(history.log.segmentCount()).as("segment borders").isGreaterThan(2);
    List<LogModel.LoggedRow> rows = history.model.rows(1);
    assertThat(rows.stream().map(LogModel.LoggedRow::commitMicros).distinct().count())
        .as("equal commit times")
        .isBetween(2L, rows.size() - 1L);
  }

  @Test
  void is_nothing_in_a_partition_without_changes() throws IOException {
    assertThat(new LogHistory(1).log.positionBefore(1, Long.MAX_VALUE)).isZero();
  }
}
