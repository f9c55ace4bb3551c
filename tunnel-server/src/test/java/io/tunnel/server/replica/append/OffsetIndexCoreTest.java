package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.OffsetIndexCore.Pair;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class OffsetIndexCoreTest {

  private static final int P = 1;
  private static final int FULL = (int) OffsetIndexCore.BYTES_APART;

  private static RecordPlace place(int partition, long offset, long first, int changes) {
    return new RecordPlace(
        partition,
        offset,
        new ReadBackCore.Proven(offset + 1, 0),
        new AppendHeader(Kind.BATCHES, 0, 1, 1, first, changes, -1, Bytes.EMPTY));
  }

  @Test
  void a_pair_stands_for_a_mebibyte_or_for_many_small_records() {
    OffsetIndexCore index = new OffsetIndexCore(1 << 20);
    index.saw(place(P, 10, 1, 1), 100);
    index.saw(place(P, 11, 2, 1), FULL - 1);
    assertThat(index.atOrBefore(P, 9)).contains(new Pair(1, 10));
    index.saw(place(P, 12, 3, 1), 1);
    assertThat(index.atOrBefore(P, 9)).contains(new Pair(3, 12));
    assertThat(index.atOrBefore(P, 2)).contains(new Pair(1, 10));
    assertThat(index.after(P, 2)).contains(new Pair(3, 12));
    for (int i = 1; i <= OffsetIndexCore.RECORDS_APART; i++) {
      index.saw(place(P, 12 + i, 3 + i, 1), 1);
    }
    assertThat(index.after(P, 3))
        .contains(new Pair(3 + OffsetIndexCore.RECORDS_APART, 12 + OffsetIndexCore.RECORDS_APART));
    assertThat(index.atOrBefore(2, 9)).as("another partition").isEmpty();
    assertThat(index.atOrBefore(P, 0)).isEmpty();
  }

  @Test
  void a_record_without_changes_makes_no_pair() {
    OffsetIndexCore index = new OffsetIndexCore(1 << 20);
    index.saw(place(P, 10, 1, 0), FULL);
    index.found(place(P, 11, 1, 0));
    assertThat(index.bytes()).isZero();
  }

  @Test
  void a_full_index_thins_its_largest_partition_and_still_covers_all_of_the_log() {
    int pairs = 16;
    OffsetIndexCore index = new OffsetIndexCore((long) pairs * OffsetIndexCore.PAIR_BYTES);
    index.saw(place(2, 7, 1, 1), FULL);
    int records = 10_000;
    for (int i = 0; i < records; i++) {
      index.saw(place(P, i, 1 + i, 1), FULL);
      assertThat(index.bytes()).isLessThanOrEqualTo((long) pairs * OffsetIndexCore.PAIR_BYTES);
    }
    assertThat(index.atOrBefore(2, 1)).as("the small one keeps its pair").isPresent();
    assertThat(index.atOrBefore(P, 1)).contains(new Pair(1, 0));
    for (int position = 1; position <= records; position += 97) {
      Pair before = index.atOrBefore(P, position).orElseThrow();
      assertThat(position - before.position()).isLessThanOrEqualTo(records / 4);
    }
  }

  @Test
  void an_index_with_room_for_no_pair_has_none() {
    OffsetIndexCore index = new OffsetIndexCore(OffsetIndexCore.PAIR_BYTES - 1);
    index.saw(place(P, 1, 1, 1), 1);
    assertThat(index.bytes()).isZero();
    assertThat(index.atOrBefore(P, 1)).isEmpty();
  }

  /** Against a map of all records of the log. */
  @Test
  void an_answer_is_a_record_at_or_before_the_position_that_the_log_still_has() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      OffsetIndexCore index = new OffsetIndexCore(2_000);
      TreeMap<Long, Long> log = new TreeMap<>();
      long offset = 0;
      long position = 1;
      for (int step = 0; step < 400; step++) {
        int dice = random.nextInt(60);
        if (dice == 0 && !log.isEmpty()) {
          long cut = log.firstEntry().getValue() + random.nextInt(log.size());
          index.cut(P, cut);
          log.values().removeIf(at -> at >= cut);
          offset = cut;
          position = log.isEmpty() ? position : log.lastKey() + 3;
        } else if (dice == 1 && !log.isEmpty()) {
          long trim = log.firstEntry().getValue() + random.nextInt(log.size());
          long first =
              log.entrySet().stream()
                  .filter(each -> each.getValue() >= trim)
                  .mapToLong(each -> each.getKey())
                  .findFirst()
                  .orElse(position);
          index.trimmed(P, trim, first);
          log.headMap(first, false).clear();
        } else if (dice == 2) {
          index.drop(3);
        } else {
          int partition = random.nextInt(4) == 0 ? 3 : P;
          offset += 1 + random.nextInt(2);
          if (partition == P) {
            log.put(position, offset);
          }
          index.saw(place(partition, offset, position, 3), random.nextInt(2 * FULL));
          position += 3;
        }
        assertThat(index.bytes()).as("seed %d", seed).isBetween(0L, 2_000L);
        long asked = 1 + random.nextLong(position + 5);
        index
            .atOrBefore(P, asked)
            .ifPresent(
                pair -> {
                  assertThat(pair.position()).isLessThanOrEqualTo(asked);
                  assertThat(log).containsEntry(pair.position(), pair.offset());
                });
        index.after(P, asked).ifPresent(pair -> assertThat(pair.position()).isGreaterThan(asked));
      }
    }
  }
}
