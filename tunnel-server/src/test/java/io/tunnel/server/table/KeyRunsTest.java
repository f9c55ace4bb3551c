package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class KeyRunsTest {

  private final KeyRuns runs = new KeyRuns();

  /** Where a row is, and its key. */
  private record Placed(Bytes key, int batch, int offset) {}

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  /**
   * Keys that share their beginnings: with all other keys, or with some keys behind the fifth byte.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rows_come_by_their_keys_and_those_of_one_key_in_the_order_in_which_they_came(long seed) {
    Random random = new Random(seed);
    for (int fold = 0; fold < 3; fold++) {
      List<Placed> placed = new ArrayList<>();
      String shared = "s".repeat(random.nextInt(10));
      int keys = 1 + random.nextInt(2_000);
      for (int i = 0; i <= random.nextInt(12); i++) {
        List<RowChange> rows = new ArrayList<>();
        for (int j = 0; j <= random.nextInt(400); j++) {
          String middle = random.nextInt(3) == 0 ? "middle" : "";
          rows.add(put(shared + middle + random.nextInt(keys)));
        }
        ChangeBatch batch = batch(1, rows);
        runs.add(batch, i);
        RowCursor row = batch.rows();
        while (row.next()) {
          placed.add(new Placed(key(row), i, row.rowOffset()));
        }
      }
      runs.sort();
      placed.sort(Comparator.comparing(Placed::key));
      requireRuns(placed);
      runs.clear();
    }
  }

  private static Bytes key(RowCursor row) {
    return Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
  }

  private void requireRuns(List<Placed> expected) {
    assertThat(runs.count()).isEqualTo(expected.size());
    for (int from = 0; from < runs.count(); ) {
      int end = runs.endOfRun(from);
      for (int i = from; i < end; i++) {
        RowCursor row = runs.row(i);
        assertThat(new Placed(key(row), runs.dictionary(i), row.rowOffset()))
            .isEqualTo(expected.get(i));
        assertThat(expected.get(i).key()).isEqualTo(expected.get(from).key());
      }
      assertThat(end == runs.count() || !expected.get(end).key().equals(expected.get(from).key()))
          .isTrue();
      from = end;
    }
  }
}
