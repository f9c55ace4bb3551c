package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RowOrderTest {

  private final RowOrder order = new RowOrder();

  @ParameterizedTest(name = "{0} rows")
  @ValueSource(ints = {1, 2, 50, 1_025, Limits.BATCH_ROWS_MAX})
  void everyRowComesOnceSortedByItsPrefixAndRowsOfOneKeyInTheirOrder(int count) {
    Random random = new Random(count);
    for (int round = 0; round < (count > 10_000 ? 2 : 20); round++) {
      List<RowChange> rows = new ArrayList<>();
      String shared = "s".repeat(random.nextInt(10));
      for (int i = 0; i < count; i++) {
        rows.add(put(shared + (char) ('!' + random.nextInt(200)) + random.nextInt(count)));
      }
      requireOrder(batch(1, rows), shared.length() + 1);
    }
  }

  private void requireOrder(ChangeBatch batch, int sharedBytes) {
    order.clear();
    RowCursor row = batch.rows();
    List<Integer> offsets = new ArrayList<>();
    while (row.next()) {
      order.add(row);
      offsets.add(row.rowOffset());
    }
    order.sort(batch.array());
    List<Integer> ordered = new ArrayList<>();
    Map<Bytes, Integer> lastOffsetOfKey = new HashMap<>();
    Bytes before = Bytes.EMPTY;
    for (int i = 0; i < order.count(); i++) {
      row.moveTo(order.rowOffset(i));
      ordered.add(row.rowOffset());
      int prefixBytes = Math.min(row.keyBytes(), sharedBytes + 6);
      Bytes prefix = Bytes.copyOf(batch.array(), row.keyOffset(), prefixBytes);
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      assertThat(prefix).isGreaterThanOrEqualTo(before);
      before = prefix;
      Integer last = lastOffsetOfKey.put(key, row.rowOffset());
      assertThat(last == null || last < row.rowOffset()).as("order of one key").isTrue();
    }
    ordered.sort(null);
    assertThat(ordered).isEqualTo(offsets);
  }
}
