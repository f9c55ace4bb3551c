package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class AppendTimesTest {

  private static final int P = 1;

  /** Changes in a log that has more of them than found times are remembered. */
  private static final int LAST = AppendTimes.FOUND_MAX + 10;

  private final FakeAppendLog log = new FakeAppendLog();
  private final OldChanges changes = new OldChanges(log, P);
  private final AppendTimes times = new AppendTimes(log, any -> changes.known());
  private final FakeAppendLog.FakeTail tail = log.lastTail();

  private OptionalLong answer(CompletableFuture<OptionalLong> asked) {
    tail.run(3);
    assertThat(asked).isDone();
    return asked.join();
  }

  private void fill() {
    changes.mark();
    changes.append(100, 1, 2, 3);
    changes.append(100, 1, 1);
    changes.appendFenced(500, 7);
    changes.append(200, 1, 4);
    changes.append(300, 1);
  }

  private static void assertRefused(CompletableFuture<OptionalLong> asked, ErrorCode code) {
    assertThatThrownBy(asked::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void the_last_position_before_a_time_is_the_last_of_the_records_before() {
    fill();
    assertThat(answer(times.positionBefore(P, 100))).as("none is so old").hasValue(0);
    assertThat(answer(times.positionBefore(P, 101))).hasValue(6);
    assertThat(answer(times.positionBefore(P, 200))).hasValue(6);
    assertThat(answer(times.positionBefore(P, 201))).hasValue(10);
    assertThat(answer(times.positionBefore(P, Long.MAX_VALUE))).hasValue(10);
  }

  @Test
  void a_node_says_when_the_next_change_was_committed() {
    fill();
    assertThat(answer(times.commitMicrosAfter(P, 0))).hasValue(100);
    assertThat(answer(times.commitMicrosAfter(P, 5))).hasValue(100);
    assertThat(answer(times.commitMicrosAfter(P, 6))).hasValue(200);
    assertThat(answer(times.commitMicrosAfter(P, 10))).as("none").hasValue(0);
  }

  @Test
  void a_commit_time_that_was_found_costs_no_second_search_of_the_lane() {
    fill();
    assertThat(answer(times.commitMicrosAfter(P, 5))).hasValue(100);
    assertThat(times.commitMicrosAfter(P, 5)).isCompletedWithValue(OptionalLong.of(100));
    assertThat(times.commitMicrosAfter(P, 6)).as("another position").isNotDone();
    assertThat(answer(times.commitMicrosAfter(P, 10))).as("none yet").hasValue(0);
    changes.append(400, 1, 1);
    assertThat(answer(times.commitMicrosAfter(P, 10))).hasValue(400);
    changes.lane = 2;
    assertThat(times.commitMicrosAfter(P, 10)).as("of another lane").isNotDone();
  }

  @Test
  void a_question_that_does_not_wait_begins_one_search_for_all_who_ask() {
    fill();
    assertThat(times.knownCommitMicrosAfter(P, 5)).isEmpty();
    CompletableFuture<OptionalLong> search = times.commitMicrosAfter(P, 5);
    assertThat(times.commitMicrosAfter(P, 5)).isSameAs(search).isNotDone();
    assertThat(answer(search)).hasValue(100);
    assertThat(times.knownCommitMicrosAfter(P, 5)).hasValue(100);
    assertThat(answer(times.commitMicrosAfter(P, 10))).as("none").hasValue(0);
    assertThat(times.commitMicrosAfter(P, 10)).as("a search of its own").isNotDone();
  }

  @Test
  void a_reader_that_moves_on_is_as_late_as_where_it_was_until_the_search_ends() {
    fill();
    assertThat(answer(times.commitMicrosAfter(P, 2))).hasValue(100);
    assertThat(times.knownCommitMicrosAfter(P, 6)).as("the search has begun").hasValue(100);
    assertThat(times.knownCommitMicrosAfter(P, 1)).as("further back").isEmpty();
    assertThat(answer(times.commitMicrosAfter(P, 6))).hasValue(200);
    assertThat(times.knownCommitMicrosAfter(P, 8)).as("the nearest").hasValue(200);
    changes.lane = 2;
    assertThat(times.knownCommitMicrosAfter(P, 8)).as("of another lane").isEmpty();
  }

  @Test
  void questions_that_do_not_wait_leave_space_to_others() {
    fill();
    assertThat(answer(times.commitMicrosAfter(P, 6))).hasValue(200);
    for (int i = 0; i < AppendTimes.LAG_LOOKS_MAX; i++) {
      var unused = times.positionBefore(P, 101);
    }
    assertThat(times.knownCommitMicrosAfter(P, 5)).isEmpty();
    assertThat(times.knownCommitMicrosAfter(P, 6)).as("found before").hasValue(200);
    tail.run(2);
    assertThat(times.commitMicrosAfter(P, 5)).as("no search was begun").isNotDone();
  }

  /** As many answers as a node remembers, for the positions from 0 on. */
  private void findAll() {
    changes.mark();
    changes.append(100, 1, LAST);
    for (int position = 0; position < AppendTimes.FOUND_MAX; position++) {
      var unused = times.commitMicrosAfter(P, position);
      if (position % AppendTimes.LAG_LOOKS_MAX == AppendTimes.LAG_LOOKS_MAX - 1) {
        tail.run(3);
      }
    }
    requireFound(0);
  }

  /** The answers from a position on need no search. */
  private void requireFound(int first) {
    for (int position = first; position < AppendTimes.FOUND_MAX; position++) {
      assertThat(times.commitMicrosAfter(P, position)).as("position %d", position).isDone();
    }
  }

  @Test
  void questions_that_are_refused_or_find_nothing_push_no_found_time_out() {
    findAll();
    for (int i = 0; i < AppendTimes.LAG_LOOKS_MAX; i++) {
      var unused = times.positionBefore(P, 101);
    }
    for (int position = AppendTimes.FOUND_MAX; position < LAST; position++) {
      assertThat(times.knownCommitMicrosAfter(P, position)).as("nearest").hasValue(100);
    }
    tail.run(3);
    for (int i = 0; i < 10; i++) {
      assertThat(answer(times.commitMicrosAfter(P, LAST + i))).as("no change").hasValue(0);
    }
    requireFound(0);
    assertThat(answer(times.commitMicrosAfter(P, LAST - 1))).hasValue(100);
    requireFound(1);
    assertThat(times.commitMicrosAfter(P, 0)).as("was not asked for longest").isNotDone();
  }

  @Test
  void a_search_under_way_stays_when_answers_are_too_many() {
    changes.mark();
    changes.append(100, 1, 1);
    // The log of this partition ends where the search begins, so no event comes.
    int silent = P + 1;
    KnownLog known = changes.known();
    long next = new SearchCore(known.trimmed().offset(), known.follow().next(), false).next();
    for (long offset = 0; offset < next; offset++) {
      log.append(silent, changes.headerOfNobody(), new byte[0], placed -> {});
    }
    CompletableFuture<OptionalLong> slow = times.commitMicrosAfter(silent, 0);
    findAll();
    assertThat(slow).isNotDone();
    assertThat(times.commitMicrosAfter(silent, 0)).isSameAs(slow);
  }

  @Test
  void what_is_trimmed_is_not_found() {
    fill();
    changes.trim(7, 4);
    log.trim(P, 4);
    assertThat(answer(times.positionBefore(P, 50))).hasValue(6);
    assertThat(answer(times.positionBefore(P, 201))).hasValue(10);
    assertThat(answer(times.commitMicrosAfter(P, 2))).hasValue(200);
  }

  @Test
  void questions_of_a_partition_are_answered_one_after_the_other() {
    fill();
    List<CompletableFuture<OptionalLong>> asked = new ArrayList<>();
    for (int i = 0; i < AppendTimes.LOOKS_MAX; i++) {
      asked.add(times.positionBefore(P, 101));
    }
    assertRefused(times.positionBefore(P, 101), ErrorCode.BUSY);
    tail.run(2);
    asked.forEach(each -> assertThat(each.join()).hasValue(6));
    assertThat(answer(times.positionBefore(P, 201))).as("there is space again").hasValue(10);
  }

  @Test
  void a_node_without_a_replica_does_not_know() throws IOException {
    assertThat(times.positionBefore(P, 5).join()).isEmpty();
    assertThat(times.commitMicrosAfter(P, 5).join()).isEmpty();
    fill();
    CompletableFuture<OptionalLong> dropped = times.positionBefore(P, 101);
    times.keep(any -> false);
    assertThat(dropped.join()).isEmpty();
    CompletableFuture<OptionalLong> cut = times.positionBefore(P, 101);
    log.cut(P, 0);
    tail.run(2);
    assertThat(cut.join()).isEmpty();
    CompletableFuture<OptionalLong> anew = times.positionBefore(P, 101);
    CompletableFuture<OptionalLong> second = times.commitMicrosAfter(P, 1);
    changes.lane++;
    tail.run(2);
    assertThat(anew.join()).isEmpty();
    assertThat(second.join()).isEmpty();
    CompletableFuture<OptionalLong> closed = times.positionBefore(P, 101);
    times.close();
    assertThat(closed.join()).isEmpty();
    assertThat(times.positionBefore(P, 101).join()).isEmpty();
  }

  @Test
  void a_record_that_cannot_be_read_is_refused_as_such() {
    fill();
    CompletableFuture<OptionalLong> newer = times.positionBefore(P, 101);
    log.holdBack(P, log.end(P) / 2);
    tail.run(1);
    assertRefused(newer, ErrorCode.NOT_LEADER);
    log.holdBack(P, log.end(P));
    log.records(P).forEach(each -> damage(each.value()));
    CompletableFuture<OptionalLong> damaged = times.positionBefore(P, 101);
    tail.run(1);
    assertRefused(damaged, ErrorCode.CORRUPT);
    CompletableFuture<OptionalLong> after = times.commitMicrosAfter(P, 1);
    tail.run(1);
    assertRefused(after, ErrorCode.CORRUPT);
  }

  private static void damage(byte[] value) {
    if (value.length > 30) {
      value[30]++;
    }
  }

  @Test
  void answers_agree_with_all_commit_times_of_the_log() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      AppendTimesTest world = new AppendTimesTest();
      world.changes.mark();
      long micros = 1;
      for (int step = random.nextInt(150); step > 0; step--) {
        micros += random.nextInt(3);
        switch (random.nextInt(8)) {
          case 0 -> world.changes.mark();
          case 1 -> world.changes.appendFenced(micros + random.nextInt(90), 2);
          case 2 -> world.changes.append(micros + 5, 1);
          default -> world.changes.append(micros, 1, 1 + random.nextInt(3));
        }
      }
      for (int i = 0; i < 8; i++) {
        world.compare(random.nextLong(micros + 3), random, seed);
      }
    }
  }

  private void compare(long micros, SplittableRandom random, long seed) {
    long position = random.nextLong(changes.position());
    CompletableFuture<OptionalLong> before = times.positionBefore(P, micros);
    CompletableFuture<OptionalLong> after = times.commitMicrosAfter(P, position);
    tail.run(1 + random.nextInt(5));
    long first =
        changes.times.entrySet().stream()
            .filter(each -> each.getValue() >= micros)
            .mapToLong(Map.Entry::getKey)
            .findFirst()
            .orElse(changes.position());
    assertThat(before.join()).as("seed %d, micros %d", seed, micros).hasValue(first - 1);
    boolean isLast = position + 1 == changes.position();
    long micro = isLast ? 0 : changes.times.floorEntry(position + 1).getValue();
    assertThat(after.join()).as("seed %d, position %d", seed, position).hasValue(micro);
  }
}
