package io.tunnel.server.replica.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FreshCoreTest {

  private final FreshCore fresh = new FreshCore(1_000);

  private boolean isFreshSince(long micros) {
    return !fresh.mayHaveMissedDeletions(micros + 50, 50)
        && fresh.mayHaveMissedDeletions(micros + 51, 50);
  }

  @Test
  void it_is_fresh_as_of_the_question_when_it_had_read_to_the_end() {
    assertThat(isFreshSince(1_000)).isTrue();
    fresh.sawEnd(7, 1_100, 7);
    assertThat(isFreshSince(1_100)).isTrue();
    fresh.sawEnd(7, 1_050, 7);
    assertThat(isFreshSince(1_100)).isTrue();
  }

  @Test
  void one_that_is_always_a_little_behind_is_fresh_as_of_the_end_that_it_has_reached() {
    fresh.sawEnd(10, 1_100, 7);
    fresh.sawEnd(20, 1_200, 9);
    assertThat(isFreshSince(1_000)).isTrue();
    fresh.read(10);
    assertThat(isFreshSince(1_100)).isTrue();
    fresh.sawEnd(30, 1_300, 10);
    fresh.read(29);
    assertThat(isFreshSince(1_100)).isTrue();
    fresh.read(30);
    assertThat(isFreshSince(1_300)).isTrue();
  }

  @Test
  void what_deletions_are_kept_for_ever_is_never_too_old() {
    assertThat(fresh.mayHaveMissedDeletions(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
  }

  @Test
  void it_is_stored_before_an_eighth_of_what_is_allowed_is_lost() {
    fresh.sawEnd(1, 1_010, 1);
    assertThat(fresh.isToStore(80)).isFalse();
    fresh.sawEnd(1, 1_011, 1);
    assertThat(fresh.isToStore(80)).isTrue();
    assertThat(fresh.store()).isEqualTo(1_011);
    assertThat(fresh.isToStore(80)).isFalse();
  }
}
