package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.write.LaneCore.Failure;
import io.tunnel.sdk.write.LaneCore.Misrouted;
import io.tunnel.sdk.write.LaneCore.State;
import io.tunnel.sdk.write.LaneCore.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LaneCoreTest {

  private static final Failure BUSY = new Failure.Refused(ErrorCode.BUSY);
  private static final Failure NOT_SENT = new Failure.NotSent();
  private static final Failure UNANSWERED = new Failure.Unanswered();
  private static final Optional<Misrouted> NEVER = Optional.empty();

  /** A head without a number, whose repetition a server does not recognise. */
  private static LaneCore.Head head(int rows, Optional<Misrouted> before) {
    return new LaneCore.Head(rows, before, false, false);
  }

  private static LaneCore.Head numbered(boolean isInDoubt) {
    return new LaneCore.Head(5, NEVER, true, isInDoubt);
  }

  private static LaneCore sent(long retryNanos) {
    LaneCore core = new LaneCore(retryNanos);
    core.sent(0);
    return core;
  }

  @Test
  void what_was_not_applied_is_tried_again_until_the_deadline_after_the_first_failure() {
    LaneCore core = sent(100);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_000)).isEqualTo(Verdict.RETRY);
    core.sent(1_010);
    assertThat(core.failed(NOT_SENT, head(5, NEVER), 1_099)).isEqualTo(Verdict.RETRY);
    assertThat(core.failures()).isEqualTo(2);
    core.sent(1_099);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_100)).isEqualTo(Verdict.GIVE_UP);
    core.sent(1_100);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_101))
        .as("the next batch does not wait as long again")
        .isEqualTo(Verdict.GIVE_UP);
    core.sent(1_101);
    core.answered();
    core.sent(1_102);
    assertThat(core.failed(BUSY, head(5, NEVER), 9_000)).isEqualTo(Verdict.RETRY);
  }

  @Test
  void what_waited_as_long_as_retries_last_is_late_until_the_service_answers() {
    LaneCore core = sent(100);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_000)).isEqualTo(Verdict.RETRY);
    core.sent(1_050);
    assertThat(core.isLate(0, 1_050)).as("retries are not over").isFalse();
    assertThat(core.failed(NOT_SENT, head(5, NEVER), 1_100)).isEqualTo(Verdict.GIVE_UP);
    core.sent(1_100);
    assertThat(core.isLate(1_000, 1_100)).isTrue();
    assertThat(core.isLate(1_001, 1_100)).as("younger").isFalse();
    assertThat(core.failed(NOT_SENT, head(5, NEVER), 1_101)).isEqualTo(Verdict.GIVE_UP);
    core.sent(1_101);
    core.answered();
    assertThat(core.isLate(0, 1_102)).isFalse();
    core.sent(1_102);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_103)).isEqualTo(Verdict.RETRY);
    core.sent(1_104);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_203)).isEqualTo(Verdict.GIVE_UP);
    core.sent(9_000);
    assertThat(core.isLate(0, 9_000)).as("the trouble is long ago").isFalse();
  }

  @Test
  void a_number_that_is_refused_by_the_level_is_sent_again_a_few_times() {
    Failure level = new Failure.Refused(ErrorCode.FEATURE_NOT_ENABLED);
    LaneCore core = sent(10_000);
    int retries = 0;
    while (core.failed(level, numbered(false), retries) == Verdict.RETRY) {
      core.sent(retries++);
    }
    assertThat(retries).isEqualTo(8);
    assertThat(core.state()).isEqualTo(State.IDLE);
    LaneCore plain = sent(10_000);
    assertThat(plain.failed(level, head(1, NEVER), 1)).isEqualTo(Verdict.REJECT);
  }

  @Test
  void a_batch_that_is_sent_long_after_one_was_given_up_has_all_its_retries() {
    LaneCore core = sent(100);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_000)).isEqualTo(Verdict.RETRY);
    core.sent(1_050);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_200)).isEqualTo(Verdict.GIVE_UP);
    core.sent(1_300);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_900))
        .as("it queued up, however long the attempt took")
        .isEqualTo(Verdict.GIVE_UP);
    core.sent(2_001);
    assertThat(core.failed(BUSY, head(5, NEVER), 2_010)).isEqualTo(Verdict.RETRY);
    assertThat(core.failures()).isEqualTo(1);
    core.sent(2_109);
    assertThat(core.failed(BUSY, head(5, NEVER), 2_110)).isEqualTo(Verdict.GIVE_UP);
  }

  @Test
  void an_attempt_and_a_pause_longer_than_all_retries_begin_no_new_ones() {
    LaneCore core = sent(100);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_000)).isEqualTo(Verdict.RETRY);
    core.sent(1_500);
    assertThat(core.failed(BUSY, head(5, NEVER), 1_501)).isEqualTo(Verdict.GIVE_UP);
  }

  @Test
  void a_word_to_go_elsewhere_is_followed_once_for_each_batch_though_nothing_is_repeated() {
    Failure sentOn = new Failure.Refused(ErrorCode.NOT_LEADER, true);
    LaneCore core = sent(0);
    for (int batch = 0; batch < 3; batch++) {
      assertThat(core.failed(sentOn, head(5, NEVER), batch)).isEqualTo(Verdict.RETRY);
      core.sent(batch);
      assertThat(core.failed(sentOn, head(5, NEVER), batch)).isEqualTo(Verdict.GIVE_UP);
      core.sent(batch);
    }
    assertThat(core.failed(new Failure.Refused(ErrorCode.NOT_LEADER), head(5, NEVER), 9))
        .isEqualTo(Verdict.GIVE_UP);
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void only_what_promises_that_nothing_was_applied_is_sent_again(ErrorCode code) {
    Verdict verdict = sent(100).failed(new Failure.Refused(code), head(1, NEVER), 0);
    assertThat(verdict == Verdict.RETRY).isEqualTo(code.retriable());
    boolean isInDoubt =
        code == ErrorCode.STORAGE_FAILED
            || code == ErrorCode.OUTCOME_UNKNOWN
            || code == ErrorCode.INTERNAL;
    assertThat(verdict == Verdict.DOUBT).isEqualTo(isInDoubt);
  }

  @Test
  void a_batch_without_an_answer_is_in_doubt_and_never_sent_again() {
    LaneCore core = sent(Long.MAX_VALUE);
    assertThat(core.failed(UNANSWERED, head(5, NEVER), 0)).isEqualTo(Verdict.DOUBT);
    assertThat(core.state()).isEqualTo(State.IDLE);
  }

  @Test
  void rows_are_rerouted_until_the_deadline_and_a_batch_is_split_down_to_one_row() {
    Failure wrong = new Failure.Refused(ErrorCode.WRONG_PARTITION);
    assertThat(sent(1).failed(wrong, head(5, NEVER), 0)).isEqualTo(Verdict.REROUTE);
    Optional<Misrouted> before = Optional.of(Misrouted.first(100));
    assertThat(sent(50).failed(wrong, head(5, before), 149)).isEqualTo(Verdict.REROUTE);
    assertThat(sent(50).failed(wrong, head(5, before.map(Misrouted::again)), 150))
        .as("the deadline is that of the first word")
        .isEqualTo(Verdict.GIVE_UP);
    assertThat(sent(0).failed(wrong, head(5, NEVER), 7))
        .as("once at least")
        .isEqualTo(Verdict.REROUTE);
    Failure invalid = new Failure.Refused(ErrorCode.INVALID_REQUEST);
    assertThat(sent(1).failed(invalid, head(2, NEVER), 0)).isEqualTo(Verdict.SPLIT);
    assertThat(sent(1).failed(invalid, head(1, NEVER), 0)).isEqualTo(Verdict.REJECT);
  }

  @Test
  void moves_that_are_not_allowed_say_so() {
    LaneCore core = sent(1);
    assertThatThrownBy(() -> core.sent(0)).hasMessageContaining("IN_FLIGHT cannot be IN_FLIGHT");
    assertThatThrownBy(core::taken).hasMessageContaining("in flight");
    core.answered();
    assertThatThrownBy(core::answered).hasMessageContaining("IDLE cannot be IDLE");
  }

  @Test
  void a_numbered_batch_in_doubt_is_repeated_until_the_deadline() {
    LaneCore core = sent(100);
    assertThat(core.failed(UNANSWERED, numbered(true), 1_000)).isEqualTo(Verdict.RETRY);
    core.sent(1_001);
    assertThat(core.failed(BUSY, numbered(true), 1_050)).isEqualTo(Verdict.RETRY);
    core.sent(1_051);
    assertThat(core.failed(UNANSWERED, numbered(true), 1_100)).isEqualTo(Verdict.DOUBT);
    core.sent(1_101);
    assertThat(core.failed(UNANSWERED, numbered(true), 1_101))
        .as("a batch that queued up has no retries of its own")
        .isEqualTo(Verdict.DOUBT);
  }

  @Test
  void what_is_said_of_a_later_attempt_says_nothing_of_the_attempt_in_doubt() {
    for (Failure failure :
        List.of(
            new Failure.Abandoned(),
            new Failure.Refused(ErrorCode.WRONG_PARTITION),
            new Failure.Refused(ErrorCode.INVALID_REQUEST),
            new Failure.Refused(ErrorCode.WRITER_ENDED),
            new Failure.Refused(ErrorCode.NOT_PERMITTED))) {
      assertThat(sent(100).failed(failure, numbered(true), 1))
          .as("%s", failure)
          .isEqualTo(Verdict.DOUBT);
      assertThat(sent(100).failed(failure, numbered(false), 1))
          .as("%s", failure)
          .isNotEqualTo(Verdict.DOUBT);
    }
    LaneCore core = sent(100);
    assertThat(core.failed(NOT_SENT, numbered(true), 1)).isEqualTo(Verdict.RETRY);
    core.sent(200);
    assertThat(core.failed(NOT_SENT, numbered(true), 200)).isEqualTo(Verdict.DOUBT);
  }

  /** A lane with batches numbered in order, whose server forgets, refuses and applies at random. */
  @Test
  void no_batch_is_applied_after_a_later_one_nor_twice() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      LaneCore core = new LaneCore(1 + random.nextInt(50));
      long now = 0;
      int head = 0;
      int lastApplied = -1;
      boolean isNumbered = random.nextBoolean();
      boolean isInDoubt = false;
      for (int step = 0; step < 200; step++) {
        now += random.nextInt(10);
        core.sent(now);
        Failure failure =
            switch (random.nextInt(6)) {
              case 0 -> BUSY;
              case 1 -> NOT_SENT;
              case 2 -> UNANSWERED;
              case 3 -> new Failure.Refused(ErrorCode.WRONG_PARTITION);
              default -> null;
            };
        boolean isApplied = failure == null || (failure == UNANSWERED && random.nextBoolean());
        // The server recognises the repetition of a numbered batch.
        boolean isRepetition = isNumbered && isInDoubt && head == lastApplied;
        if (isApplied && !isRepetition) {
          assertThat(head).as("seed %d", seed).isGreaterThan(lastApplied);
          lastApplied = head;
        }
        if (failure == null) {
          core.answered();
          isInDoubt = false;
          head++;
        } else {
          isInDoubt |= failure == UNANSWERED;
          Optional<Misrouted> before =
              random.nextBoolean() ? Optional.of(Misrouted.first(now / 2)) : NEVER;
          Verdict verdict =
              core.failed(failure, new LaneCore.Head(1, before, isNumbered, isInDoubt), now);
          if (isInDoubt && verdict != Verdict.RETRY) {
            assertThat(verdict).as("seed %d", seed).isEqualTo(Verdict.DOUBT);
          }
          isInDoubt &= verdict == Verdict.RETRY;
          boolean isKept = verdict == Verdict.RETRY || verdict == Verdict.REROUTE;
          head += isKept ? 0 : 1;
          State expected =
              switch (verdict) {
                case RETRY -> State.PAUSED;
                case REROUTE -> State.MISROUTED;
                default -> State.IDLE;
              };
          assertThat(core.state()).as("seed %d", seed).isEqualTo(expected);
        }
      }
    }
  }
}
