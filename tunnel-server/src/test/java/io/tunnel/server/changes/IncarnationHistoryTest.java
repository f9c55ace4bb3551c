package io.tunnel.server.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.changes.IncarnationHistory.Start;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IncarnationHistoryTest {

  private static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  /** What a reader has: the changes up to the position at which it stopped. */
  private record Reader(long incarnation, List<Integer> seen) {}

  /** A log that loses ends of itself, as the list of its changes. */
  @ParameterizedTest
  @MethodSource("seeds")
  void what_is_shared_is_what_the_changes_themselves_share(long seed) {
    Random random = new Random(seed);
    List<Integer> changes = new ArrayList<>();
    List<Long> known = new ArrayList<>();
    List<Start> starts = List.of();
    List<Reader> readers = new ArrayList<>();
    int nextChange = 0;
    long incarnation = 0;
    int lives = 2 + random.nextInt(IncarnationHistory.STARTS_MAX - 2);
    for (int life = 0; life < lives; life++) {
      if (random.nextInt(3) > 0) {
        int kept = changes.size() - random.nextInt(Math.min(6, changes.size() + 1));
        changes.subList(kept, changes.size()).clear();
      }
      incarnation += 1 + random.nextInt(5);
      known.add(incarnation);
      starts = IncarnationHistory.begun(starts, incarnation, changes.size() + 1);
      for (int more = random.nextInt(5); more > 0; more--) {
        changes.add(nextChange++);
        if (random.nextInt(4) == 0) {
          readers.add(new Reader(incarnation, List.copyOf(changes)));
        }
      }
    }
    IncarnationHistory history = new IncarnationHistory(known, starts);
    assertThat(history.newest()).hasValue(incarnation);
    for (Reader reader : readers) {
      long shared = Math.min(history.sharedUpTo(reader.incarnation()), changes.size());
      int same = 0;
      while (same < Math.min(reader.seen().size(), changes.size())
          && reader.seen().get(same).equals(changes.get(same))) {
        same++;
      }
      for (int position = 0; position <= reader.seen().size(); position++) {
        assertThat(position <= shared)
            .as("seed %d: %s at %d, of %s in %s", seed, reader, position, changes, history)
            .isEqualTo(position <= same);
      }
    }
  }

  /** Beyond the limit it may refuse what is good; it never takes what is not. */
  @Test
  void of_more_starts_than_are_kept_the_oldest_two_are_one() {
    List<Start> starts = List.of();
    List<Long> known = new ArrayList<>();
    for (long i = 1; i <= IncarnationHistory.STARTS_MAX + 1; i++) {
      starts = IncarnationHistory.begun(starts, i, 10 * i);
      known.add(i);
    }
    assertThat(starts).hasSize(IncarnationHistory.STARTS_MAX);
    IncarnationHistory history = new IncarnationHistory(known, starts);
    assertThat(history.sharedUpTo(1)).as("it was 19").isEqualTo(9);
    assertThat(history.sharedUpTo(2)).isEqualTo(29);
    assertThat(history.sharedUpTo(IncarnationHistory.STARTS_MAX + 1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void of_an_incarnation_that_nobody_was_told_nothing_is_shared() {
    IncarnationHistory history =
        new IncarnationHistory(List.of(5L, 8L, 9L), List.of(new Start(8, 11), new Start(9, 21)));
    assertThat(history.sharedUpTo(5)).isEqualTo(10);
    assertThat(history.sharedUpTo(8)).isEqualTo(20);
    assertThat(history.sharedUpTo(9)).isEqualTo(Long.MAX_VALUE);
    for (long unknown : new long[] {0, 4, 6, 7, 10, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThat(history.sharedUpTo(unknown)).as("%d", unknown).isZero();
    }
  }

  @Test
  void a_partition_that_never_had_changes_at_a_start_shares_the_newest_alone() {
    IncarnationHistory history = new IncarnationHistory(List.of(5L, 8L), List.of());
    assertThat(history.sharedUpTo(8)).isEqualTo(Long.MAX_VALUE);
    assertThat(history.sharedUpTo(5)).isZero();
    assertThat(new IncarnationHistory(List.of(), List.of()).newest()).isEmpty();
  }

  @Test
  void what_does_not_rise_is_refused() {
    assertThatThrownBy(() -> new IncarnationHistory(List.of(5L, 5L), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                new IncarnationHistory(List.of(5L, 6L), List.of(new Start(5, 3), new Start(6, 3))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
