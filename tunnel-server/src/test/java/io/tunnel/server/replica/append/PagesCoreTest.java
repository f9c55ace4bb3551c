package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.RefusedException;
import io.tunnel.server.replica.append.PagesCore.Fetch;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Ends of pages, which the next pages begin at. */
final class PagesCoreTest {

  private static final int P = 1;

  private final PagesCore core = new PagesCore(1, 1);

  /** Fetches the page at a position, which ends there. */
  private OptionalLong fetch(long position, Optional<RefusedException> refusal) {
    Fetch fetch = core.want(P, position, Long.MAX_VALUE).begun().get(0);
    OldPage page = new OldPage(P, position, position + 1, List.of(), 0, 10 * position, refusal);
    assertThat(core.fetched(fetch, page).ended()).containsExactly(P);
    return fetch.offset();
  }

  private OptionalLong fetch(long position) {
    return fetch(position, Optional.empty());
  }

  @Test
  void the_ends_of_the_newest_pages_are_remembered() {
    for (int i = 1; i <= PagesCore.ENDS_MAX; i++) {
      assertThat(fetch(2L * i)).isEmpty();
    }
    assertThat(fetch(3)).as("behind the page at 2").hasValue(20);
    assertThat(fetch(3)).as("another end is remembered since").isEmpty();
    assertThat(fetch(7)).hasValue(60);
  }

  @Test
  void all_of_a_former_replica_is_forgotten_and_nothing_of_other_partitions() {
    core.of(P, 7);
    fetch(2);
    core.want(P, 9, Long.MAX_VALUE);
    assertThat(core.want(5, 1, Long.MAX_VALUE).begun()).as("one fetch at a time").isEmpty();
    assertThat(core.of(P, 7)).as("the replica is the same").isEqualTo(PagesCore.Work.NONE);
    PagesCore.Work forgotten = core.of(P, 8);
    assertThat(forgotten.ended()).containsExactly(P);
    assertThat(forgotten.woken()).containsExactly(P);
    assertThat(forgotten.begun()).extracting(Fetch::partition).containsExactly(5);
    assertThat(core.find(P, 2)).isEmpty();
    core.keep(each -> each == P);
    assertThat(fetch(3)).as("the end is forgotten, too").isEmpty();
    Fetch next = core.want(P, 20, Long.MAX_VALUE).begun().get(0);
    assertThat(next.lane()).isEqualTo(8);
  }

  @Test
  void a_page_that_is_read_again_is_the_newest() {
    for (int i = 1; i <= PagesCore.ENDS_MAX; i++) {
      assertThat(fetch(2L * i)).isEmpty();
    }
    assertThat(fetch(2)).isEmpty();
    assertThat(fetch(5)).hasValue(40);
    assertThat(fetch(3)).hasValue(20);
  }

  @Test
  void a_page_without_changes_has_no_end() {
    assertThat(fetch(1, Optional.of(RefusedException.notLeader("elsewhere", Optional.empty()))))
        .isEmpty();
    assertThat(fetch(2)).isEmpty();
  }
}
