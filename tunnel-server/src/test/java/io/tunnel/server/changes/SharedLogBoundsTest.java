package io.tunnel.server.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.IncarnationHistory.Numbers;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.changes.LogBounds.Look;
import io.tunnel.server.changes.LogBounds.Moment;
import io.tunnel.server.session.fake.FakeSurroundings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class SharedLogBoundsTest {

  private static final long SECOND_NANOS = 1_000_000_000L;

  private final FakeBounds log = new FakeBounds();
  private final FakeSurroundings surroundings = new FakeSurroundings();
  private final KnownBounds known = new KnownBounds();
  private final SharedLogBounds bounds = new SharedLogBounds(log, known, surroundings::control);
  private final List<Map<Integer, Look>> found = new ArrayList<>();
  private final List<Exception> failed = new ArrayList<>();

  private final LogBounds.Looked looked =
      new LogBounds.Looked() {
        @Override
        public void found(Map<Integer, Look> lookByPartition) {
          found.add(lookByPartition);
        }

        @Override
        public void failed(Exception reason) {
          failed.add(reason);
        }
      };

  private void look(Set<Long> moments) {
    bounds.look(List.of(1), moments, looked);
  }

  @Test
  void a_look_is_answered_on_the_control_thread_and_remembered() {
    log.set(1, 3, 20);
    look(Set.of());
    assertThat(found).isEmpty();
    surroundings.runControl();
    assertThat(found)
        .containsExactly(
            Map.of(
                1, new Look(new Bounds(3, 20), 0, Optional.empty(), Map.of(), Optional.empty())));
    assertThat(bounds.known(1)).isEqualTo(20);
    assertThat(bounds.known(2)).isZero();
    known.forget(1);
    assertThat(bounds.known(1)).isZero();
  }

  @Test
  void an_answer_that_was_overtaken_does_not_take_back_what_is_known() {
    known.saw(1, new Bounds(4, 20));
    known.saw(1, new Bounds(3, 19));
    assertThat(known.last(1)).isEqualTo(20);
    assertThat(known.first(1)).isEqualTo(4);
  }

  @Test
  void a_moment_is_in_front_of_the_first_record_since_and_the_leader_says_when_it_has_passed() {
    log.set(1, 1, 20);
    log.record(1, 0, 100);
    log.record(1, 12, 5_000);
    surroundings.nowMs = 6;
    look(Set.of(50L, 4_000L, 5_001L));
    surroundings.runControl();
    Look look = found.get(0).get(1);
    assertThat(look.moment(50)).as("nothing is before the first").isEqualTo(new Moment(0, true));
    assertThat(look.moment(4_000)).isEqualTo(new Moment(11, true));
    assertThat(look.moment(5_001)).isEqualTo(new Moment(20, false));
    surroundings.nowMs = 60_000;
    look(Set.of(5_001L));
    surroundings.runControl();
    assertThat(found.get(1).get(1).moment(5_001))
        .as("the clock of this node says nothing about the clock of the leader")
        .isEqualTo(new Moment(20, false));
    log.record(1, 21, 5_001);
    look(Set.of(5_001L));
    surroundings.runControl();
    assertThat(found.get(2).get(1).moment(5_001))
        .as("the next change")
        .isEqualTo(new Moment(20, true));
    assertThatThrownBy(() -> look.moment(7)).isInstanceOf(IllegalStateException.class);
  }

  private static IncarnationHistory ledBy(Start... starts) {
    return new IncarnationHistory(
        Stream.of(starts).map(Start::incarnation).toList(), List.of(starts), Numbers.ORDERED);
  }

  /** A position that is told under a later leader than it was found under would never be judged. */
  @Test
  void what_was_found_under_a_leader_that_lost_it_is_looked_for_again() {
    Start first = new Start(5, 1);
    log.set(1, 1, 20, ledBy(first));
    log.record(1, 18, 5_000);
    log.hold(true);
    look(Set.of(4_000L));
    log.answerNext();
    log.answerNext();
    log.set(1, 1, 22, ledBy(first, new Start(6, 11)));
    log.records(1).clear();
    log.record(1, 12, 4_500);
    log.hold(false);
    surroundings.runControl();
    assertThat(failed).isEmpty();
    Look look = found.get(0).get(1);
    assertThat(look.moment(4_000).before()).isEqualTo(11);
    assertThat(look.bounds().incarnation()).contains(6L);
  }

  @Test
  void whose_leaders_change_all_the_time_is_asked_again_later() {
    log.set(1, 1, 20, ledBy(new Start(5, 1)));
    log.hold(true);
    look(Set.of(4_000L));
    for (int i = 0; i < SharedLogBounds.LOOKS_MAX; i++) {
      log.answerNext();
      log.answerNext();
      log.set(1, 1, 20, ledBy(new Start(6 + i, 1)));
      log.answerNext();
    }
    surroundings.runControl();
    assertThat(failed)
        .extracting(reason -> ((RefusedException) reason).code())
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
  }

  @Test
  void a_look_says_how_much_of_what_is_known_is_there() {
    log.set(1, 1, 20, ledBy(new Start(5, 1), new Start(7, 11)));
    bounds.look(List.of(1), Set.of(), Map.of(1, new KnownPosition(15, 5)), looked);
    bounds.look(List.of(1), Set.of(), Map.of(1, new KnownPosition(9, 5)), looked);
    bounds.look(List.of(1), Set.of(), Map.of(1, new KnownPosition(15, 7)), looked);
    surroundings.runControl();
    assertThat(found)
        .extracting(each -> each.get(1).shared().orElseThrow())
        .containsExactly(10L, 9L, 15L);
    assertThat(found)
        .extracting(each -> each.get(1).bounds().incarnation().orElseThrow())
        .containsOnly(7L);
  }

  @Test
  void a_log_that_cannot_be_asked_is_a_retriable_refusal() {
    log.unreachable(true);
    look(Set.of(1L));
    surroundings.runControl();
    assertThat(failed)
        .extracting(reason -> ((RefusedException) reason).code())
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
  }

  @Test
  void what_is_known_is_refreshed_once_a_second_and_one_question_at_a_time() {
    log.set(1, 1, 5);
    bounds.keepFresh(() -> Set.of(), 0);
    assertThat(log.questions()).isZero();
    bounds.keepFresh(() -> Set.of(1), 0);
    assertThat(bounds.known(1)).isEqualTo(5);
    bounds.keepFresh(() -> Set.of(1), SECOND_NANOS - 1);
    assertThat(log.questions()).isEqualTo(1);
    log.hold(true);
    bounds.keepFresh(() -> Set.of(1), SECOND_NANOS);
    bounds.keepFresh(() -> Set.of(1), 3 * SECOND_NANOS);
    assertThat(log.questions()).isEqualTo(2);
    log.unreachable(true);
    log.hold(false);
    assertThat(bounds.known(1)).isEqualTo(5);
    log.unreachable(false);
    log.set(1, 1, 6);
    bounds.keepFresh(() -> Set.of(1), 4 * SECOND_NANOS);
    assertThat(bounds.known(1)).isEqualTo(6);
  }

  @Test
  void a_partition_that_cannot_be_asked_keeps_no_other_from_being_fresh() {
    log.set(1, 1, 5);
    log.set(2, 1, 7);
    log.unreachable(1, true);
    bounds.keepFresh(() -> Set.of(1, 2), 0);
    assertThat(bounds.known(1)).isZero();
    assertThat(bounds.known(2)).isEqualTo(7);
    log.unreachable(1, false);
    bounds.keepFresh(() -> Set.of(1, 2), SECOND_NANOS);
    assertThat(bounds.known(1)).isEqualTo(5);
  }

  @Test
  void a_partition_that_is_answered_late_is_awaited_alone_and_asked_for_once() {
    log.set(1, 1, 5);
    log.set(2, 1, 7);
    log.hold(true);
    bounds.keepFresh(() -> Set.of(1, 2), 0);
    log.answerNext();
    assertThat(bounds.known(1)).isEqualTo(5);
    log.set(1, 1, 6);
    bounds.keepFresh(() -> Set.of(1, 2), SECOND_NANOS);
    log.set(2, 1, 8);
    log.answerNext();
    assertThat(bounds.known(2)).as("asked for at first").isEqualTo(8);
    log.answerNext();
    assertThat(bounds.known(1)).as("asked for again").isEqualTo(6);
    assertThat(log.questions()).isEqualTo(2);
    assertThatThrownBy(log::answerNext).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void what_is_refreshed_is_told_together_and_of_what_fails_apart() {
    log.set(1, 1, 5);
    log.set(2, 1, 7);
    log.set(3, 1, 9);
    log.unreachable(2, true);
    List<Set<Integer>> fresh = new ArrayList<>();
    Map<Integer, Exception> failures = new HashMap<>();
    bounds.refresh(
        Set.of(1, 2, 3),
        new LogBounds.Refreshed() {
          @Override
          public void fresh(Set<Integer> partitions) {
            fresh.add(partitions);
          }

          @Override
          public void failed(int partition, Exception reason) {
            failures.put(partition, reason);
          }
        });
    assertThat(fresh).as("on the control thread").isEmpty();
    surroundings.runControl();
    assertThat(fresh).containsExactly(Set.of(1, 3));
    assertThat(bounds.known(3)).isEqualTo(9);
    assertThat(failures).containsOnlyKeys(2);
    assertThat(((RefusedException) failures.get(2)).code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
  }
}
