package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which changes read their stored row. */
final class FoldCoreTest {

  private static final TableFold.Offsets OFFSETS = new TableFold.Offsets(0, 1, 1);

  private final StoredMap store = new StoredMap();
  private int reads;

  private final FoldCore core =
      new FoldCore(new Dictionaries(store), this::countRead, new SplittableRandom(7));

  private byte[] countRead(byte[] rowKey) {
    reads++;
    return null;
  }

  private void fold(RowChange... rows) {
    FoldCore.Fold fold = core.begin(List.of(batch(1, rows)), BesideRows.NONE);
    while (!fold.isEnded()) {
      store.apply(fold.next(OFFSETS, () -> true));
    }
  }

  private static RowChange update(String key, String column) {
    return new RowUpdateChange(
        key(key), List.of(new ColumnUpdate.Put(column, ColumnValue.fromLong(1))));
  }

  @Test
  void one_update_in_sixteen_reads_its_row_whichever_row_it_is() {
    for (int i = 0; i < 16_000; i++) {
      fold(update("k" + i % 16, "a"));
    }
    assertThat(reads).isBetween(850, 1_150);
  }

  @Test
  void updates_of_one_row_that_come_together_read_it_once_at_most() {
    RowChange[] updates = new RowChange[1_000];
    for (int i = 0; i < updates.length; i++) {
      updates[i] = update("k", "a" + i % 3);
    }
    for (int i = 0; i < 16; i++) {
      fold(updates);
    }
    assertThat(reads).isLessThan(8);
  }

  @Test
  void puts_and_deletes_and_updates_behind_them_read_nothing() {
    for (int i = 0; i < 1_000; i++) {
      fold(put("a"), new RowDeleteChange(key("b")), update("a", "c"), update("b", "c"), put("d"));
    }
    assertThat(reads).isZero();
  }

  private void foldAt(long micros, RowChange... rows) {
    ChangeBatch batch = batch(1, rows);
    BatchBuilder.stamp(batch.array(), batch.offset(), 1, micros);
    FoldCore.Fold fold = core.begin(List.of(batch), BesideRows.NONE);
    while (!fold.isEnded()) {
      store.apply(fold.next(OFFSETS, () -> true));
    }
  }

  private long storedMicros(String rowKey) {
    byte[] key = keyBytes(rowKey).toByteArray();
    return StoredRow.commitMicros(store.get(StoreFormat.rowKey(1, key, 0, key.length)));
  }

  /** With names in the row and in a dictionary, alone and laid upon others, and rewritten. */
  @Test
  void each_row_has_the_commit_time_of_the_last_change_laid_upon_it() {
    for (long micros = 1; micros <= 200; micros++) {
      foldAt(micros, put("a"), put("b", new Column("x", ColumnValue.fromLong(micros))));
      assertThat(storedMicros("a")).isEqualTo(micros);
      assertThat(storedMicros("b")).isEqualTo(micros);
      foldAt(micros + 1_000, update("b", "c"));
      assertThat(storedMicros("b")).isEqualTo(micros + 1_000);
      foldAt(micros + 2_000, put("c"), update("c", "d"), update("b", "e"), update("b", "f"));
      assertThat(storedMicros("b")).isEqualTo(micros + 2_000);
      assertThat(storedMicros("c")).isEqualTo(micros + 2_000);
      assertThat(storedMicros("a")).as("not written since").isEqualTo(micros);
    }
  }
}
