package io.tunnel.stress.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.RowSize;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratedRowsTest {

  private static GeneratedRows rows(RowShape shape, ChangeMix mix, long seed) {
    return new GeneratedRows(new UniformKeys(1_000), shape, mix, seed);
  }

  @ParameterizedTest
  @CsvSource({"2, 220", "1, 220", "1, 60", "5, 1000"})
  void rows_have_about_the_bytes_asked_for(int attributes, int rowBytes) {
    GeneratedRows rows = rows(RowShape.ofRowBytes(attributes, rowBytes), ChangeMix.PUTS, 1);
    BatchBuilder batch = new BatchBuilder(StressTable.PRIMARY_KEY, 1 << 20);
    int before = batch.byteCount();
    long counted = 0;
    for (int i = 0; i < 1_000; i++) {
      RowChange row = rows.next();
      counted += RowSize.of(row);
      assertThat(batch.add(row)).isTrue();
    }
    assertThat((batch.byteCount() - before) / 1_000.0).isBetween(rowBytes - 7.0, rowBytes + 4.0);
    assertThat(counted / 1_000.0).isBetween(rowBytes - 10.0, rowBytes + 10.0);
  }

  @Test
  void the_first_key_column_is_the_hash_of_the_others() {
    for (long id = 0; id < 1_000; id++) {
      PrimaryKey key = GeneratedRows.key(id);
      assertThat(KeyCodec.encode(key, StressTable.PRIMARY_KEY).length()).isPositive();
      List<PrimaryKeyValue> rest =
          key.getPrimaryKeyColumns().subList(1, 4).stream()
              .map(PrimaryKeyColumn::getValue)
              .toList();
      assertThat(key.getPrimaryKeyColumn(0).getValue())
          .isEqualTo(PrimaryKeyValue.fromBinary(HashedKey.hash(rest)));
      assertThat(HashedKey.hash(rest).length()).isEqualTo(4);
    }
  }

  @Test
  void keys_differ_by_id_and_follow_from_it_alone() {
    Set<PrimaryKey> keys = new HashSet<>();
    for (long id = 0; id < 10_000; id++) {
      keys.add(GeneratedRows.key(id));
      assertThat(GeneratedRows.key(id)).isEqualTo(GeneratedRows.key(id));
    }
    assertThat(keys).hasSize(10_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 128, 1_000})
  void keys_spread_evenly_over_the_split_points(int partitions) {
    List<Bytes> points =
        HashedKey.splitPoints(partitions).stream()
            .map(point -> Bytes.copyOf(point.asBinary()))
            .toList();
    assertThat(points).hasSize(partitions - 1).isSorted().doesNotHaveDuplicates();
    int[] counts = new int[partitions];
    int keys = partitions * 400;
    for (long id = 0; id < keys; id++) {
      Bytes hash = Bytes.copyOf(GeneratedRows.key(id).getPrimaryKeyColumn(0).getValue().asBinary());
      int partition = 0;
      while (partition < points.size() && points.get(partition).compareTo(hash) <= 0) {
        partition++;
      }
      counts[partition]++;
    }
    // Six standard deviations of 400.
    assertThat(Arrays.stream(counts).boxed())
        .allSatisfy(count -> assertThat(count).isBetween(280, 520));
  }

  @Test
  void a_number_of_partitions_that_no_table_has_is_refused() {
    assertThatThrownBy(() -> HashedKey.splitPoints(0)).hasMessageContaining("1 to 1024");
    assertThatThrownBy(() -> HashedKey.splitPoints(1_025)).hasMessageContaining("not 1025");
  }

  @Test
  void shares_are_kept_and_updates_name_one_column_each() {
    GeneratedRows rows = rows(RowShape.WHITEPAPER, new ChangeMix(60, 30, 10), 9);
    Map<ChangeKind, Integer> counts = new EnumMap<>(ChangeKind.class);
    int removed = 0;
    for (int i = 0; i < 20_000; i++) {
      RowChange row = rows.next();
      counts.merge(row.kind(), 1, Integer::sum);
      if (row instanceof RowPutChange put) {
        assertThat(put.columns()).hasSize(2);
      } else if (row instanceof RowUpdateChange update) {
        assertThat(update.updates()).hasSize(1);
        removed += update.updates().get(0) instanceof ColumnUpdate.Delete ? 1 : 0;
      }
    }
    assertThat(counts.get(ChangeKind.PUT)).isBetween(11_600, 12_400);
    assertThat(counts.get(ChangeKind.UPDATE)).isBetween(5_700, 6_300);
    assertThat(counts.get(ChangeKind.DELETE)).isBetween(1_800, 2_200);
    assertThat(removed).isBetween(600, 900);
  }

  @Test
  void equal_seeds_give_equal_rows_and_other_seeds_others() {
    ChangeMix mix = new ChangeMix(80, 15, 5);
    GeneratedRows one = rows(RowShape.WHITEPAPER, mix, 4);
    GeneratedRows same = rows(RowShape.WHITEPAPER, mix, 4);
    GeneratedRows other = rows(RowShape.WHITEPAPER, mix, 5);
    int different = 0;
    for (int i = 0; i < 500; i++) {
      RowChange row = one.next();
      assertThat(same.next()).isEqualTo(row);
      different += other.next().equals(row) ? 0 : 1;
    }
    assertThat(different).isGreaterThan(490);
  }

  @Test
  void shapes_and_mixes_that_make_no_sense_are_refused_with_what_would_be_right() {
    assertThatThrownBy(() -> new ChangeMix(80, 15, 4)).hasMessageContaining("add up to 100");
    assertThatThrownBy(() -> new ChangeMix(110, -10, 0)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> new RowShape(0, 10)).hasMessageContaining("1 to 64 attributes");
    assertThatThrownBy(() -> new RowShape(65, 10)).hasMessageContaining("not 65");
    assertThatThrownBy(() -> new RowShape(2, 0)).hasMessageContaining("1 to 65536 bytes");
    assertThatThrownBy(() -> new RowShape(64, 65_536)).hasMessageContaining("over 2097152 bytes");
    assertThatThrownBy(() -> RowShape.ofRowBytes(2, 20)).hasMessageContaining("at least 57 bytes");
    assertThat(RowShape.ofRowBytes(2, 57).valueBytes()).isEqualTo(1);
  }
}
