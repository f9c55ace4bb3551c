package io.tunnel.it.history;

import static io.tunnel.model.RowExistenceExpectation.EXPECT_EXIST;
import static io.tunnel.model.RowExistenceExpectation.EXPECT_NOT_EXIST;
import static io.tunnel.model.RowExistenceExpectation.IGNORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.history.Call.BatchPlace;
import io.tunnel.it.history.Call.Kind;
import io.tunnel.it.history.Call.Outcome;
import io.tunnel.it.history.LinearizabilityCore.Verdict;
import io.tunnel.model.RowExistenceExpectation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearizabilityCoreTest {

  private static final int STATES_MAX = 100_000;

  private static Call put(long value, long from, long to) {
    return new Call(
        1, Kind.PUT, IGNORE, Optional.of(value), Outcome.OK, Optional.empty(), from, to);
  }

  private static Call placed(long value, long position, long from, long to) {
    return new Call(
        1, Kind.PUT, IGNORE, Optional.of(value), Outcome.OK, Optional.of(position), from, to);
  }

  private static Call conditional(
      RowExistenceExpectation condition, Outcome outcome, long value, long from, long to) {
    return new Call(
        1, Kind.UPDATE, condition, Optional.of(value), outcome, Optional.empty(), from, to);
  }

  private static Call unknown(long value, long from) {
    return new Call(
        1,
        Kind.PUT,
        IGNORE,
        Optional.of(value),
        Outcome.UNKNOWN,
        Optional.empty(),
        from,
        Call.NEVER);
  }

  private static Call delete(long from, long to) {
    return new Call(
        1, Kind.DELETE, IGNORE, Optional.empty(), Outcome.OK, Optional.empty(), from, to);
  }

  private static Call sees(long value, long from, long to) {
    return new Call(
        1, Kind.GET, IGNORE, Optional.of(value), Outcome.OK, Optional.empty(), from, to);
  }

  private static Call seesNothing(long from, long to) {
    return new Call(1, Kind.GET, IGNORE, Optional.empty(), Outcome.OK, Optional.empty(), from, to);
  }

  private static Verdict verdict(Call... calls) {
    return new LinearizabilityCore(STATES_MAX).check(List.of(calls)).get(1L);
  }

  @Test
  void calls_that_overlap_may_come_in_either_order() {
    assertThat(verdict(put(1, 0, 10), put(2, 5, 15), sees(1, 20, 21)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(put(1, 0, 10), put(2, 5, 15), sees(2, 20, 21)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(seesNothing(1, 2), put(1, 0, 10), sees(1, 3, 4)))
        .isEqualTo(Verdict.LINEARIZABLE);
  }

  @Test
  void a_read_that_begins_after_an_acknowledgement_sees_it() {
    assertThat(verdict(put(1, 0, 10), seesNothing(11, 12))).isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(put(1, 0, 1), put(2, 2, 3), sees(1, 4, 5)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(put(1, 0, 1), delete(2, 3), sees(1, 4, 5)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  @Test
  void what_one_read_has_seen_no_later_one_misses() {
    assertThat(verdict(put(1, 0, 100), sees(1, 10, 20), seesNothing(30, 40)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  @Test
  void a_call_of_unknown_outcome_happens_at_any_time_behind_its_beginning_or_never() {
    assertThat(verdict(unknown(1, 5), seesNothing(6, 7), sees(1, 100, 101)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(unknown(1, 5), seesNothing(100, 101))).isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(unknown(1, 5), sees(1, 1, 4))).isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(unknown(1, 5), put(2, 6, 7), sees(1, 8, 9), sees(2, 10, 11)))
        .as("once")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  @Test
  void conditions_hold_when_they_are_said_to_and_not_when_not() {
    Call added = conditional(EXPECT_NOT_EXIST, Outcome.OK, 1, 0, 1);
    assertThat(verdict(added, conditional(EXPECT_NOT_EXIST, Outcome.UNMET, 2, 2, 3), sees(1, 4, 5)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(added, conditional(EXPECT_NOT_EXIST, Outcome.OK, 2, 2, 3)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(conditional(EXPECT_EXIST, Outcome.UNMET, 2, 2, 3), put(1, 0, 1)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(conditional(EXPECT_EXIST, Outcome.OK, 2, 0, 3), put(1, 1, 2)))
        .isEqualTo(Verdict.LINEARIZABLE);
  }

  private static Call swap(long expected, Outcome outcome, long value, long from, long to) {
    return new Call(
        1,
        Kind.UPDATE,
        IGNORE,
        Optional.of(expected),
        Optional.of(value),
        outcome,
        Optional.empty(),
        from,
        to);
  }

  @Test
  void a_value_is_swapped_for_the_expected_one_alone() {
    assertThat(verdict(put(1, 0, 1), swap(1, Outcome.OK, 2, 2, 3), sees(2, 4, 5)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(put(1, 0, 1), swap(1, Outcome.OK, 2, 2, 3), swap(1, Outcome.OK, 3, 2, 3)))
        .as("two swap one value")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(put(1, 0, 1), swap(1, Outcome.UNMET, 2, 2, 3), sees(1, 4, 5)))
        .as("what holds is not refused")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(swap(1, Outcome.UNMET, 2, 0, 1), put(1, 2, 3)))
        .as("a row that is not there has no value")
        .isEqualTo(Verdict.LINEARIZABLE);
  }

  private static Call add(long delta, Outcome outcome, long from, long to) {
    return new Call(1, Kind.ADD, IGNORE, Optional.of(delta), outcome, Optional.empty(), from, to);
  }

  @Test
  void what_is_added_counts_once_and_what_is_in_doubt_once_or_never() {
    assertThat(verdict(add(2, Outcome.OK, 0, 9), add(3, Outcome.OK, 0, 9), sees(5, 10, 11)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(add(2, Outcome.OK, 0, 1), add(3, Outcome.OK, 2, 3), sees(3, 4, 5)))
        .as("an increment is lost")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(put(7, 0, 1), add(2, Outcome.OK, 2, 3), sees(11, 4, 5)))
        .as("an increment counts twice")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    for (long seen : new long[] {1, 3}) {
      assertThat(
              verdict(
                  add(1, Outcome.OK, 0, 1),
                  add(2, Outcome.UNKNOWN, 2, Call.NEVER),
                  sees(seen, 4, 5)))
          .isEqualTo(Verdict.LINEARIZABLE);
    }
  }

  @Test
  void writes_are_in_the_order_of_their_positions() {
    assertThat(verdict(placed(1, 7, 0, 10), placed(2, 6, 0, 10), sees(1, 20, 21)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(placed(1, 7, 0, 10), placed(2, 6, 0, 10), sees(2, 20, 21)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  @Test
  void keys_are_independent_and_what_was_refused_says_nothing() {
    Call other = new Call(2, Kind.GET, IGNORE, Optional.of(9L), Outcome.OK, Optional.empty(), 0, 1);
    Call refused =
        new Call(3, Kind.PUT, IGNORE, Optional.of(9L), Outcome.REFUSED, Optional.empty(), 0, 1);
    assertThat(new LinearizabilityCore(STATES_MAX).check(List.of(put(1, 0, 1), other, refused)))
        .isEqualTo(Map.of(1L, Verdict.LINEARIZABLE, 2L, Verdict.NOT_LINEARIZABLE));
  }

  @Test
  void a_search_that_would_be_too_large_says_so() {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      calls.add(put(i, 0, 1_000));
    }
    calls.add(sees(99, 2_000, 2_001));
    assertThat(new LinearizabilityCore(1_000).check(calls).get(1L)).isEqualTo(Verdict.UNDECIDED);
  }

  /** Calls of several clients to a real register, and one read of a value that was overwritten. */
  @Test
  void histories_of_a_register_are_found_good_and_one_stale_read_makes_them_bad() {
    for (long seed = 0; seed < 100; seed++) {
      List<Call> calls = register(new Random(seed));
      assertThat(verdict(calls.toArray(Call[]::new)))
          .as("seed %d", seed)
          .isEqualTo(Verdict.LINEARIZABLE);
      List<Call> stale = new ArrayList<>(calls);
      long end = calls.stream().mapToLong(Call::endedNanos).max().orElseThrow();
      stale.add(put(1_000, end + 1, end + 2));
      stale.add(put(2_000, end + 3, end + 4));
      stale.add(sees(1_000, end + 5, end + 6));
      assertThat(verdict(stale.toArray(Call[]::new)))
          .as("seed %d", seed)
          .isEqualTo(Verdict.NOT_LINEARIZABLE);
    }
  }

  private static List<Call> register(Random random) {
    List<Call> calls = new ArrayList<>();
    Optional<Long> row = Optional.empty();
    for (long moment = 100; moment < 2_000; moment += 10) {
      long from = moment - random.nextInt(60);
      long to = moment + random.nextInt(60);
      int what = random.nextInt(6);
      if (what < 2) {
        calls.add(row.map(value -> sees(value, from, to)).orElseGet(() -> seesNothing(from, to)));
      } else if (what == 2) {
        calls.add(delete(from, to));
        row = Optional.empty();
      } else if (what == 3) {
        calls.add(placed(moment, moment, from, to));
        row = Optional.of(moment);
      } else if (what == 4) {
        boolean isMet = row.isPresent() && random.nextBoolean();
        long expected = isMet ? row.get() : moment;
        calls.add(swap(expected, isMet ? Outcome.OK : Outcome.UNMET, moment, from, to));
        row = isMet ? Optional.of(moment) : row;
      } else {
        Outcome outcome = row.isPresent() ? Outcome.OK : Outcome.UNMET;
        calls.add(conditional(EXPECT_EXIST, outcome, moment, from, to));
        row = row.isPresent() ? Optional.of(moment) : row;
      }
    }
    return calls;
  }

  private static Call inBatch(int index, Call call) {
    return new Call(
        call.key(),
        call.kind(),
        call.condition(),
        call.expected(),
        call.value(),
        call.outcome(),
        call.position(),
        call.invokedNanos(),
        call.endedNanos(),
        Optional.of(new BatchPlace(5, index)));
  }

  @Test
  void rows_of_a_batch_are_judged_over_the_rows_before_them() {
    Call first = inBatch(0, put(10, 0, 1));
    assertThat(verdict(first, inBatch(1, swap(10, Outcome.OK, 11, 0, 1)), sees(11, 2, 3)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(first, inBatch(1, swap(9, Outcome.OK, 11, 0, 1)), sees(11, 2, 3)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(inBatch(1, put(11, 0, 1)), inBatch(0, put(10, 0, 1)), sees(10, 2, 3)))
        .as("the rows of a batch are in its order")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  @Test
  void a_refused_batch_was_judged_and_changed_nothing() {
    Call before =
        inBatch(
            0,
            new Call(
                1, Kind.PUT, IGNORE, Optional.of(7L), Outcome.REFUSED, Optional.empty(), 2, 3));
    Call expectsOld = inBatch(1, swap(1, Outcome.UNMET, 8, 2, 3));
    Call expectsNew = inBatch(1, swap(7, Outcome.UNMET, 8, 2, 3));
    assertThat(verdict(put(1, 0, 1), before, expectsOld, sees(1, 4, 5)))
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(verdict(put(1, 0, 1), before, expectsNew, sees(1, 4, 5)))
        .as("the row before would have made the condition true")
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(verdict(put(1, 0, 1), before, expectsOld, sees(7, 4, 5)))
        .isEqualTo(Verdict.NOT_LINEARIZABLE);
    assertThat(new LinearizabilityCore(STATES_MAX).check(List.of(before)))
        .as("rows of a batch that was refused for another row say nothing")
        .isEmpty();
  }

  @Test
  void what_is_written_to_lines_is_read_from_them() {
    HistoryLines history = new HistoryLines();
    long put =
        history.invoked(1, 7, Kind.PUT, EXPECT_NOT_EXIST, Optional.of(4L), Optional.of(5L), 10);
    long get = history.invoked(2, 7, Kind.GET, IGNORE, Optional.empty(), Optional.empty(), 11);
    long lost = history.invoked(3, 7, Kind.DELETE, IGNORE, Optional.empty(), Optional.empty(), 12);
    history.ended(get, Outcome.OK, Optional.empty(), Optional.empty(), 13);
    history.ended(put, Outcome.OK, Optional.empty(), Optional.of(3L), 14);
    assertThat(history.lines().get(0))
        .isEqualTo(
            "{\"event\":\"invoke\",\"call\":1,\"nanos\":10,\"client\":1,\"op\":\"put\","
                + "\"condition\":\"EXPECT_NOT_EXIST\",\"expected\":4,\"key\":7,\"value\":5}");
    assertThat(history.lines().get(4))
        .isEqualTo("{\"event\":\"ok\",\"call\":1,\"nanos\":14,\"position\":3}");
    assertThat(HistoryLines.read(history.lines()))
        .containsExactly(
            new Call(7, Kind.GET, IGNORE, Optional.empty(), Outcome.OK, Optional.empty(), 11, 13),
            new Call(
                7,
                Kind.PUT,
                EXPECT_NOT_EXIST,
                Optional.of(4L),
                Optional.of(5L),
                Outcome.OK,
                Optional.of(3L),
                10,
                14),
            new Call(
                7,
                Kind.DELETE,
                IGNORE,
                Optional.empty(),
                Outcome.UNKNOWN,
                Optional.empty(),
                12,
                Call.NEVER));
    assertThat(lost).isEqualTo(3);
  }
}
