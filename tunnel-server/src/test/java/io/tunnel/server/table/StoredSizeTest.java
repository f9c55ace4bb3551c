package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How many bytes rows take in the table and in the writes to it, for what their changes took in the
 * log; {@code docs/operate/configuration.md} says the numbers.
 */
final class StoredSizeTest {

  /** A column that an update removes has two bytes in its batch, and 257 of name in its row. */
  static final int MULTIPLE_MAX = 130;

  /** As long as a partition has room for dictionaries. */
  private static final int MULTIPLE_USUAL = 2;

  static final int ROW_BYTES = 40;

  /** A row that is written anew and all of its names. */
  private static final int ROW_BYTES_MAX =
      Limits.ROW_BYTES_MAX + Limits.ROW_COLUMNS_MAX * (Limits.COLUMN_NAME_BYTES_MAX + 2);

  @TempDir private Path directory;

  private final StoredMap store = new StoredMap();
  private final Dictionaries dictionaries = new Dictionaries(store);
  private final FoldCore core = new FoldCore(dictionaries, store::get, new SplittableRandom(7));
  private long offset;

  /** Folds, and returns the bytes of all writes. */
  private long fold(ChangeBatch... batches) {
    FoldCore.Fold fold = core.begin(List.of(batches), BesideRows.NONE);
    TableFold.Offsets offsets = new TableFold.Offsets(offset, offset + 1, ++offset);
    long bytes = 0;
    while (!fold.isEnded()) {
      byte[] write = fold.next(offsets, () -> true);
      store.apply(write);
      bytes += write.length;
      assertThat(write.length).isLessThan(FoldCore.WRITE_BYTES_MAX + ROW_BYTES_MAX);
    }
    return bytes;
  }

  private static boolean isOfPuts(ChangeBatch batch) {
    boolean isOfPuts = true;
    RowCursor row = batch.rows();
    while (row.next()) {
      isOfPuts &= row.kind() != ChangeKind.UPDATE;
    }
    return isOfPuts;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void a_table_takes_no_more_than_the_stated_multiple_of_what_was_written(long seed) {
    RandomShapes shapes = new RandomShapes(new Random(seed));
    long written = 0;
    long rows = 0;
    for (int i = 0; i < 12; i++) {
      ChangeBatch batch = batch(1, shapes.rows(300));
      long folded = fold(batch);
      written += batch.byteCount();
      rows += batch.rowCount();
      if (isOfPuts(batch)) {
        assertThat(folded)
            .as("%s", batch)
            .isLessThanOrEqualTo(
                (long) MULTIPLE_USUAL * batch.byteCount() + ROW_BYTES * (batch.rowCount() + 1L));
      }
      assertThat(store.bytes()).isLessThan(MULTIPLE_MAX * written + ROW_BYTES * (rows + 1));
    }
  }

  /** A hundred dictionaries of all the names that a batch may have: there is room for four. */
  @Test
  void without_room_for_dictionaries_rows_take_the_stated_multiple_and_are_written_in_parts() {
    ChangeBatch batch = null;
    long folded = 0;
    for (int i = 0; i < 6; i++) {
      List<RowChange> rows = new ArrayList<>();
      for (int row = 0; row < 200; row++) {
        List<Column> columns = new ArrayList<>();
        for (int c = 0; c < Limits.ROW_COLUMNS_MAX; c++) {
          String name = i + "n" + (row % 4 * Limits.ROW_COLUMNS_MAX + c);
          name += "x".repeat(Limits.COLUMN_NAME_BYTES_MAX - name.length());
          columns.add(new Column(name, ColumnValue.fromBoolean(true)));
        }
        rows.add(put("k" + row, columns.toArray(new Column[0])));
      }
      batch = batch(1, rows);
      folded = fold(batch);
    }
    requireFoldAgain(batch);
    assertThat(folded)
        .isGreaterThan(4L * FoldCore.WRITE_BYTES_MAX)
        .isLessThan((long) MULTIPLE_MAX * batch.byteCount());
  }

  /** A crash behind the first write of a fold leaves rows of it, and the offset before it. */
  private void requireFoldAgain(ChangeBatch batch) {
    TableFold.Offsets offsets = new TableFold.Offsets(offset, offset + 1, offset + 1);
    store.apply(core.begin(List.of(batch), BesideRows.NONE).next(offsets, () -> true));
    byte[] underWay = store.get(StoreFormat.foldedKey());
    assertThat(StoreFormat.isUnderWay(underWay)).isTrue();
    assertThat(Binary.getLong(underWay, 0)).isEqualTo(offset);
    long bytes = store.bytes();
    assertThat(fold(batch)).isGreaterThan(FoldCore.WRITE_BYTES_MAX);
    assertThat(store.get(StoreFormat.foldedKey())).isEqualTo(StoreFormat.folded(offset));
    assertThat(store.bytes()).isEqualTo(bytes - 8);
  }

  /** 10,000 such rows were a table of 860 MB, and ended the server. */
  @Test
  void sparse_rows_of_one_write_take_a_few_bytes_each() {
    Random random = new Random(1);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Column[] columns = new Column[3];
      int first = random.nextInt(4_000);
      for (int c = 0; c < columns.length; c++) {
        String name = "c" + (first + 30 * c);
        columns[c] = new Column(name + "x".repeat(20 - name.length()), ColumnValue.fromLong(i));
      }
      rows.add(put("k" + i, columns));
    }
    ChangeBatch batch = batch(1, rows);
    assertThat(fold(batch)).isLessThan(2L * batch.byteCount());
    assertThat(store.bytes()).isLessThan(2L * batch.byteCount());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void rows_of_any_shape_are_read_as_they_were_written_also_after_a_start(long seed)
      throws IOException {
    Random random = new Random(seed);
    List<RandomShapes> shapes = List.of(new RandomShapes(random), new RandomShapes(random));
    TableModel model = new TableModel();
    for (int start = 0; start < 3; start++) {
      try (TableStore table =
          TableStore.open(directory, new TableStoreConfig(8 << 20, 1 << 20, 1), () -> {})) {
        for (int i = 0; i < 4; i++) {
          int partition = 1 + random.nextInt(2);
          List<RowChange> rows = shapes.get(partition - 1).rows(60);
          rows.forEach(row -> model.apply(partition, row));
          table.fold(List.of(batch(partition, rows)), ++offset);
        }
        model.requireEqual(table, 2, random);
        try (TableSnapshot snapshot = table.snapshot()) {
          List<Bytes> keys = new ArrayList<>();
          var unused =
              snapshot.scanBehind(
                  1,
                  Bytes.EMPTY,
                  (key, columns) -> {
                    assertThat(columns).hasSize(model.rows(1).get(key).size());
                    return keys.add(key);
                  });
          assertThat(keys).hasSize(model.rows(1).size());
        }
      }
      try (StoredTable stored = new StoredTable(directory)) {
        stored.verify();
        stored.compare(stored, partition -> true, new NoDifferences());
      }
    }
  }

  private static final class NoDifferences implements StoredTable.Differences {
    @Override
    public void compared(long rows) {}

    @Override
    public void missing(int partition, Bytes key) {
      throw new AssertionError(key);
    }

    @Override
    public void extra(int partition, Bytes key) {
      throw new AssertionError(key);
    }

    @Override
    public void different(int partition, Bytes key) {
      throw new AssertionError(key);
    }
  }
}
