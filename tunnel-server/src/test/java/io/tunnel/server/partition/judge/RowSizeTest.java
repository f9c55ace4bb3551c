package io.tunnel.server.partition.judge;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.RowCursor;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RowSizeTest {

  private static RowCursor row(RowChange change) {
    RowCursor row = batch(1, change).rows();
    assertThat(row.next()).isTrue();
    return row;
  }

  private static RowCursor set(String column, int bytes) {
    ColumnValue value = ColumnValue.fromString("v".repeat(bytes));
    return row(new RowUpdateChange(key("k"), List.of(new ColumnUpdate.Put(column, value))));
  }

  @Test
  void a_row_of_the_largest_size_is_legal_and_no_larger_one() {
    long columns = Limits.ROW_COLUMNS_MAX;
    for (long count : new long[] {0, 1, columns}) {
      long most = Limits.ROW_BYTES_MAX - 16 - 2 * count;
      assertThat(RowSize.isLegal(count, most)).isTrue();
      assertThat(RowSize.isLegal(count, most + 1)).isFalse();
    }
    assertThat(RowSize.isLegal(columns + 1, 0)).isFalse();
  }

  /** The type takes a byte, and the length of the text two. */
  @Test
  void columns_have_the_bytes_of_their_types_and_values() {
    List<String> seen = new ArrayList<>();
    ColumnValue text = ColumnValue.fromString("v".repeat(200));
    RowSize.columns(
        row(TestRows.put("k", new Column("a", text), new Column("b", ColumnValue.fromLong(1)))),
        (name, bytes) -> seen.add(name + " " + bytes));
    assertThat(seen).containsExactly("a 203", "b 9");
  }

  @Test
  void updates_fill_a_row_to_its_last_byte() {
    int stored = Limits.ROW_BYTES_MAX - 5_000;
    RowSize size = new RowSize(column -> column.accept("stored", stored));
    // The row takes 16, the index of each column 2, the type of a text 1 and its length 2.
    int left = 5_000 - 16 - 2 * 2 - 3 - set("a", 0).keyBytes();
    assertThat(size.updateIfLegal(set("a", left + 1))).isFalse();
    assertThat(size.updateIfLegal(set("a", left))).isTrue();
    assertThat(size.updateIfLegal(set("a", left + 1))).isFalse();
    assertThat(size.updateIfLegal(set("b", 1))).isFalse();
    assertThat(size.updateIfLegal(set("a", left - 100))).isTrue();
    assertThat(size.updateIfLegal(set("b", 1))).isTrue();
  }

  @Test
  void the_row_below_is_looked_at_once_for_the_columns_that_are_known() {
    List<String> looks = new ArrayList<>();
    RowSize size =
        new RowSize(
            column -> {
              looks.add("look");
              column.accept("a", 10);
              column.accept("b", 10);
            });
    for (int i = 0; i < 3; i++) {
      size.update(set("a", 5));
    }
    assertThat(looks).hasSize(1);
    size.update(set("b", 5));
    assertThat(looks).hasSize(2);
    size.update(set("a", 6));
    assertThat(looks).hasSize(2);
  }
}
