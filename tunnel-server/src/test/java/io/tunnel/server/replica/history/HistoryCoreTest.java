package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.history.HistoryCore.Fetch;
import io.tunnel.server.replica.history.HistoryCore.Work;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HistoryCoreTest {

  private static final int PAGES_MAX = 4;

  private final HistoryCore core =
      new HistoryCore((long) PAGES_MAX * HistoryPage.OVERHEAD_BYTES, 2);

  private static HistoryPage page(Fetch fetch, long next) {
    return new HistoryPage(
        fetch.partition(), fetch.from(), next, List.of(), 1_000 + next, Optional.empty());
  }

  @Test
  void what_is_asked_for_twice_is_read_once() {
    Fetch fetch = core.want(1, 10, 100).begun().get(0);
    assertThat(core.want(1, 10, 100)).isEqualTo(Work.NONE);
    Work done = core.fetched(fetch, page(fetch, 20));
    assertThat(done).isEqualTo(new Work(Set.of(1), List.of(), Set.of(1)));
    assertThat(core.find(1, 9)).isEmpty();
    assertThat(core.find(1, 10)).isPresent();
    assertThat(core.find(1, 19)).isPresent();
    assertThat(core.find(1, 20)).isEmpty();
    assertThat(core.waiting()).isZero();
  }

  @Test
  void two_readers_of_a_partition_take_turns() {
    Fetch first = core.want(1, 10, 100).begun().get(0);
    assertThat(core.want(1, 50, 100).begun()).isEmpty();
    Work next = core.fetched(first, page(first, 20));
    assertThat(next.ended()).as("it is read on, elsewhere").isEmpty();
    assertThat(next.begun()).extracting(Fetch::from).containsExactly(50L);
    assertThat(next.woken()).containsExactly(1);
    assertThat(core.want(1, 20, 100).begun()).isEmpty();
    Fetch second = next.begun().get(0);
    assertThat(core.fetched(second, page(second, 60)).begun())
        .extracting(Fetch::from)
        .containsExactly(20L);
  }

  @Test
  void so_many_partitions_are_read_at_the_same_time_and_no_more() {
    Fetch first = core.want(1, 0, 9).begun().get(0);
    assertThat(core.want(2, 0, 9).begun()).hasSize(1);
    assertThat(core.want(3, 0, 9).begun()).isEmpty();
    Work next = core.fetched(first, page(first, 9));
    assertThat(next.ended()).containsExactly(1);
    assertThat(next.begun()).extracting(Fetch::partition).containsExactly(3);
  }

  @Test
  void what_was_not_looked_at_for_longest_goes_first() {
    for (long from = 0; from < PAGES_MAX; from++) {
      Fetch fetch = core.want(1, from, 100).begun().get(0);
      var unused = core.fetched(fetch, page(fetch, from + 1));
    }
    assertThat(core.bytes()).isEqualTo((long) PAGES_MAX * HistoryPage.OVERHEAD_BYTES);
    assertThat(core.find(1, 0)).isPresent();
    Fetch fetch = core.want(1, 50, 100).begun().get(0);
    var unused = core.fetched(fetch, page(fetch, 51));
    assertThat(core.bytes()).isEqualTo((long) PAGES_MAX * HistoryPage.OVERHEAD_BYTES);
    assertThat(core.find(1, 0)).isPresent();
    assertThat(core.find(1, 1)).isEmpty();
    assertThat(core.find(1, 50)).isPresent();
  }

  @Test
  void commit_times_go_on_where_the_page_before_ended() {
    Fetch first = core.want(1, 10, 100).begun().get(0);
    assertThat(first.micros()).isZero();
    var unused = core.fetched(first, page(first, 20));
    assertThat(core.want(1, 20, 100).begun().get(0).micros()).isEqualTo(1_020);
  }

  @Test
  void what_is_served_elsewhere_is_forgotten() {
    Fetch first = core.want(1, 10, 100).begun().get(0);
    var unused = core.fetched(first, page(first, 20));
    Fetch lost = core.want(1, 20, 100).begun().get(0);
    var unused2 = core.want(1, 30, 100);
    var unused3 = core.want(2, 5, 100);
    Work kept = core.keep(partition -> partition == 2);
    assertThat(kept.ended()).containsExactly(1);
    assertThat(kept.woken()).containsExactly(1);
    assertThat(core.find(1, 10)).isEmpty();
    assertThat(core.bytes()).isZero();
    assertThat(core.fetched(lost, page(lost, 30))).as("too late").isEqualTo(Work.NONE);
    assertThat(core.waiting()).isEqualTo(1);
  }

  @Test
  void what_is_abandoned_is_asked_for_again() {
    Fetch first = core.want(1, 10, 100).begun().get(0);
    Work over = core.abandoned(first);
    assertThat(over).isEqualTo(new Work(Set.of(1), List.of(), Set.of(1)));
    assertThat(core.abandoned(first)).isEqualTo(Work.NONE);
    Fetch again = core.want(1, 10, 100).begun().get(0);
    assertThat(again).as("what was read for the first is not taken for it").isNotEqualTo(first);
    assertThat(core.fetched(first, page(first, 20))).isEqualTo(Work.NONE);
    assertThat(core.find(1, 10)).isEmpty();
  }

  @Test
  void more_than_the_limit_do_not_wait() {
    for (int partition = 0; partition < HistoryCore.WANTED_MAX + 2; partition++) {
      assertThat(core.want(partition, 7, 100).woken()).isEmpty();
    }
    Work over = core.want(HistoryCore.WANTED_MAX + 2, 7, 100);
    assertThat(over.woken()).as("the oldest that waits asks again").containsExactly(2);
    assertThat(core.waiting()).isEqualTo(HistoryCore.WANTED_MAX + 2);
  }

  /** Each waiting reader is served, and no queue grows, in any order. */
  @Test
  void nobody_waits_for_ever() {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      HistoryCore many = new HistoryCore(6L * HistoryPage.OVERHEAD_BYTES, 1 + random.nextInt(3));
      Set<Fetch> underWay = new HashSet<>();
      long[] positions = new long[6];
      int steps = 0;
      while (List.of(positions[0], positions[1], positions[2]).contains(0L) || steps < 2_000) {
        assertThat(++steps).as("seed %d", seed).isLessThan(20_000);
        int reader = random.nextInt(positions.length);
        int partition = reader % 3;
        long at = 1_000L * reader + positions[reader];
        Optional<HistoryPage> found = many.find(partition, at);
        Work work = Work.NONE;
        if (found.isPresent()) {
          positions[reader] += found.get().next() - at;
        } else if (random.nextBoolean() || underWay.isEmpty()) {
          work = many.want(partition, at, Long.MAX_VALUE);
        } else {
          Fetch fetch = underWay.iterator().next();
          underWay.remove(fetch);
          work = many.fetched(fetch, page(fetch, fetch.from() + 1 + random.nextInt(3)));
        }
        underWay.addAll(work.begun());
        assertThat(many.bytes()).isLessThanOrEqualTo(6L * HistoryPage.OVERHEAD_BYTES);
        assertThat(underWay.stream().map(Fetch::partition).distinct().count())
            .isEqualTo(underWay.size());
        assertThat(many.waiting()).isLessThanOrEqualTo(2 * positions.length);
      }
      assertThat(positions).as("seed %d", seed).doesNotContain(0L);
    }
  }
}
