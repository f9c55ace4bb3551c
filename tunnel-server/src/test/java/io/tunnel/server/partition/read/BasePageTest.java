package io.tunnel.server.partition.read;

import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Limits;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BasePageTest {

  private static Column column(String name, int bytes) {
    return new Column(name, new BinaryValue(Bytes.copyOf(new byte[bytes])));
  }

  private static BasePage page(int bytesMax) {
    return new BasePage(TestRows.SCHEMA, 11, bytesMax);
  }

  private static ChangeBatch batchOf(BasePage page) {
    FoundRows found = new FoundRows();
    page.tell(4, 1_000, false, found);
    return found.batch();
  }

  @Test
  void rows_are_puts_with_positions_from_the_first_asked_for_and_the_moment_as_their_time() {
    BasePage page = page(1_000);
    assertThat(page.add(keyBytes("a"), List.of(new Column("c", ColumnValue.fromLong(1))))).isTrue();
    assertThat(page.add(keyBytes("b"), List.of())).isTrue();
    FoundRows found = new FoundRows();
    page.tell(4, 1_000, true, found);
    ChangeBatch batch = found.batch();
    assertThat(batch.partition()).isEqualTo(4);
    assertThat(batch.basePosition()).isEqualTo(11);
    assertThat(batch.commitMicros()).isEqualTo(1_000);
    assertThat(found.lastPosition).isEqualTo(12);
    assertThat(found.lastKey).isEqualTo(keyBytes("b"));
    assertThat(found.isEnd).isTrue();
    List<Bytes> keys = new ArrayList<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      assertThat(row.kind()).isEqualTo(ChangeKind.PUT);
      keys.add(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
    }
    assertThat(keys).containsExactly(keyBytes("a"), keyBytes("b"));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void a_page_is_never_larger_than_it_may_be_unless_it_has_one_row(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      int bytesMax = 1 + random.nextInt(600);
      BasePage page = page(bytesMax);
      int taken = 0;
      while (page.add(
          keyBytes("k" + (1_000 + taken)),
          List.of(column("name" + random.nextInt(50), random.nextInt(120))))) {
        taken++;
      }
      assertThat(taken).isPositive();
      assertThat(page.rowCount()).isEqualTo(taken);
      ChangeBatch batch = batchOf(page);
      assertThat(batch.rowCount()).isEqualTo(taken);
      assertThat(taken == 1 || batch.byteCount() <= bytesMax).isTrue();
    }
  }

  @Test
  void a_page_that_only_looks_takes_no_row() {
    BasePage page = page(0);
    assertThat(page.add(keyBytes("a"), List.of())).isFalse();
    assertThat(page.rowCount()).isZero();
  }

  /** As many columns and bytes as a row may have, so that no longer index of a name fits. */
  private static List<Column> largest() {
    List<Column> columns = new ArrayList<>();
    int bytes = 0;
    for (int i = 0; i < Limits.ROW_COLUMNS_MAX - 3; i++) {
      columns.add(column("c" + i, 0));
    }
    for (int i = 0; bytes < Limits.ROW_BYTES_MAX && i < 3; i++) {
      int size = Math.min(Limits.VALUE_BYTES_MAX, (Limits.ROW_BYTES_MAX - 8_000) / 3);
      columns.add(column("v" + i, size));
      bytes += size;
    }
    return columns;
  }

  @Test
  void the_largest_row_goes_alone_and_is_not_lost_behind_others() {
    List<Column> largest = largest();
    BasePage alone = page(1);
    assertThat(alone.add(keyBytes("a"), largest)).isTrue();
    assertThat(alone.add(keyBytes("b"), List.of())).isFalse();
    ChangeBatch batch = batchOf(alone);
    assertThat(batch.rowCount()).isEqualTo(1);
    assertThat(batch.byteCount()).isGreaterThan(Limits.ROW_BYTES_MAX - 10_000);

    BasePage behind = page(1 << 20);
    assertThat(behind.add(keyBytes("a"), List.of(column("other", 1)))).isTrue();
    assertThat(behind.add(keyBytes("b"), largest)).isFalse();
    assertThat(behind.rowCount()).isEqualTo(1);
    assertThat(batchOf(behind).nameCount()).as("names of rows not taken").isEqualTo(1);
  }

  @Test
  void a_row_that_is_too_large_behind_the_names_of_others_waits_for_its_own_page() {
    BasePage page = page(Limits.BATCH_BYTES_MAX);
    List<Column> names = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      names.add(column("n" + i, 0));
    }
    assertThat(page.add(keyBytes("a"), names)).isTrue();
    List<Column> full = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      full.add(column("f" + i, 0));
    }
    // Alone the names take one byte each, behind 200 others two: only alone the row is legal.
    int used = rowBytes(full);
    List<Column> exact = new ArrayList<>(full);
    int left = Limits.ROW_BYTES_MAX - used;
    for (int i = 0; left > 0; i++) {
      int size = Math.min(left - 7, Limits.VALUE_BYTES_MAX - 8);
      if (size < 0) {
        break;
      }
      exact.add(column("x" + i, size));
      left = Limits.ROW_BYTES_MAX - rowBytes(exact);
    }
    assertThat(page(1).add(keyBytes("b"), exact)).isTrue();
    assertThat(page.add(keyBytes("b"), exact)).isFalse();
    assertThat(page.rowCount()).isEqualTo(1);
  }

  private static int rowBytes(List<Column> columns) {
    BasePage page = page(1);
    page.add(keyBytes("b"), columns);
    RowCursor row = batchOf(page).rows();
    row.next();
    return row.rowEnd() - row.rowOffset();
  }
}
