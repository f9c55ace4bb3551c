package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.IncarnationHistory;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StoredIncarnationsTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  private StoredIncarnations begin(Map<Integer, Long> ends, long nowMs) throws IOException {
    return StoredIncarnations.begin(store, ends.keySet(), ends::get, nowMs);
  }

  private static IncarnationHistory of(StoredIncarnations incarnations, int partition) {
    return incarnations.of(partition).orElseThrow();
  }

  @Test
  void each_start_is_an_incarnation_and_what_is_there_stays_good() throws IOException {
    begin(Map.of(1, 0L, 2, 0L), 1_000);
    begin(Map.of(1, 100L, 2, 0L), 2_000);
    StoredIncarnations third = begin(Map.of(1, 90L, 2, 0L), 3_000);
    assertThat(third.newest(1)).contains(3_000L);
    assertThat(of(third, 1).sharedUpTo(1_000)).as("10 were lost").isEqualTo(90);
    assertThat(of(third, 1).sharedUpTo(2_000)).as("10 were lost").isEqualTo(90);
    assertThat(of(third, 1).sharedUpTo(3_000)).isEqualTo(Long.MAX_VALUE);
    assertThat(of(third, 2).sharedUpTo(2_000)).as("all of it was lost, if any").isZero();
    assertThat(of(third, 9).sharedUpTo(3_000)).as("created since").isEqualTo(Long.MAX_VALUE);
  }

  /** The former server counted, because its clock was set back, and readers know the count. */
  @Test
  void a_restored_server_under_a_clock_that_was_set_back_begins_another_incarnation()
      throws IOException {
    begin(Map.of(1, 40L), 9_000);
    MemoryCatalogStore restored = new MemoryCatalogStore();
    restored.write(
        RestoredCounters.raise(store.all(), new Random(7)).entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, each -> Optional.of(each.getValue()))));
    long former = begin(Map.of(1, 50L), 2_000).newest(1).orElseThrow();
    StoredIncarnations after =
        StoredIncarnations.begin(restored, Set.of(1), partition -> 40L, 2_000);
    assertThat(after.newest(1).orElseThrow()).isGreaterThan(former);
    assertThat(of(after, 1).knows(former)).isFalse();
    assertThat(of(after, 1).sharedUpTo(9_000)).isEqualTo(40);
    assertThat(
            StoredIncarnations.begin(restored, Set.of(1), partition -> 45L, 2_000)
                .newest(1)
                .orElseThrow())
        .as("the next start counts on")
        .isEqualTo(after.newest(1).orElseThrow() + 1);
  }

  @Test
  void what_was_lost_of_a_partition_that_was_empty_at_the_next_start_stays_lost()
      throws IOException {
    begin(Map.of(1, 0L), 1_000);
    StoredIncarnations second = begin(Map.of(1, 0L), 2_000);
    assertThat(of(second, 1).sharedUpTo(1_000)).as("whatever it had is lost").isZero();
    StoredIncarnations third = begin(Map.of(1, 24L), 3_000);
    assertThat(of(third, 1).sharedUpTo(1_000)).as("it still is").isZero();
    assertThat(of(third, 1).sharedUpTo(2_000)).isEqualTo(24);
    assertThat(of(begin(Map.of(1, 20L), 4_000), 1).sharedUpTo(1_000)).isZero();
  }

  /** Readers that come in the next life were told numbers and positions of this one. */
  @Test
  void what_was_begun_is_stored_before_anybody_can_be_told() throws IOException {
    begin(Map.of(1, 50L), 1_000);
    Map<String, String> stored = store.all();
    assertThat(stored).containsKeys("incarnations", "incarnations/1");
    StoredIncarnations next = begin(Map.of(1, 60L), 2_000);
    assertThat(of(next, 1).knows(1_000)).isTrue();
    assertThat(of(next, 1).sharedUpTo(1_000)).isEqualTo(60);
  }

  @Test
  void a_number_is_never_given_twice_whatever_the_clock_does() throws IOException {
    begin(Map.of(), 5_000);
    begin(Map.of(), 1_000);
    StoredIncarnations third = begin(Map.of(), 5_000);
    assertThat(third.numbers()).containsExactly(5_000L, 5_001L, 5_002L);
  }

  @Test
  void a_catalog_made_anew_knows_nothing_of_what_was_told_before() throws IOException {
    begin(Map.of(1, 70L), 5_000);
    StoredIncarnations anew =
        StoredIncarnations.begin(new MemoryCatalogStore(), Set.of(1), id -> 70, 6_000);
    assertThat(of(anew, 1).sharedUpTo(5_000)).isZero();
  }

  @Test
  void partitions_that_are_gone_are_forgotten_and_idle_ones_stay_one_start() throws IOException {
    for (long life = 1; life <= 80; life++) {
      begin(life < 80 ? Map.of(1, 5L, 2, life) : Map.of(1, 5L), life);
    }
    StoredIncarnations last = begin(Map.of(1, 5L), 100);
    assertThat(store.all()).doesNotContainKey("incarnations/2");
    assertThat(of(last, 1).starts()).hasSize(1);
    assertThat(of(last, 1).sharedUpTo(1)).as("idle for 80 starts").isEqualTo(5);
  }

  @Test
  void so_many_numbers_are_kept_and_older_ones_are_refused() throws IOException {
    for (long life = 1; life <= StoredIncarnations.NUMBERS_MAX + 1; life++) {
      begin(Map.of(1, 5L), life);
    }
    StoredIncarnations last = begin(Map.of(1, 5L), 9_000);
    assertThat(last.numbers()).hasSize(StoredIncarnations.NUMBERS_MAX);
    assertThat(of(last, 1).sharedUpTo(2)).isZero();
    assertThat(of(last, 1).sharedUpTo(3)).isEqualTo(5);
  }

  @Test
  void without_a_word_that_it_is_stored_there_is_none() {
    CatalogStore failing =
        new CatalogStore() {
          @Override
          public Map<String, String> all() {
            return Map.of();
          }

          @Override
          public void write(Map<String, Optional<String>> changes) throws IOException {
            throw new IOException("full");
          }

          @Override
          public void close() {
            // Nothing is open.
          }
        };
    assertThatThrownBy(() -> StoredIncarnations.begin(failing, Set.of(1), id -> 5, 1))
        .isInstanceOf(IOException.class);
  }
}
