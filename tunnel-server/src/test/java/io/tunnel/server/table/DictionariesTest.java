package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many names are kept, in memory and on disk, and for how long. */
final class DictionariesTest {

  private static final int INLINE = StoreFormat.INLINE_DICTIONARY;

  private final StoredMap store = new StoredMap();
  private final Dictionaries dictionaries = new Dictionaries(store);

  private static Column column(String name) {
    return new Column(name, ColumnValue.fromBoolean(true));
  }

  /** Two rows of the same {@code count} names, so that a dictionary takes less than the names. */
  private static ChangeBatch shape(int partition, String prefix, int count) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      columns.add(column(prefix + i));
    }
    Column[] row = columns.toArray(new Column[0]);
    return batch(partition, put("k1", row), put("k2", row));
  }

  private static void store(Dictionaries dictionaries, StoredMap store) {
    WriteBatchSink sink = new WriteBatchSink();
    dictionaries.storeNew(sink);
    store.apply(sink.toByteArray());
    dictionaries.stored();
  }

  private int idOf(ChangeBatch batch) {
    int id = dictionaries.idOf(batch);
    store(dictionaries, store);
    return id;
  }

  @Test
  void names_that_come_once_stay_in_their_rows_and_those_that_come_again_are_stored() {
    ChangeBatch once = batch(1, put("k", column("a"), column("b")));
    assertThat(idOf(once)).isEqualTo(INLINE);
    int id = idOf(once);
    assertThat(id).isEqualTo(1);
    assertThat(dictionaries.namesOf(1).apply(id)).containsExactly("a", "b");
  }

  @Test
  void names_that_many_rows_share_are_stored_at_once_and_those_of_different_rows_are_not() {
    assertThat(idOf(shape(1, "shared", 3))).isNotEqualTo(INLINE);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      rows.add(put("k" + i, column("own" + i)));
    }
    assertThat(idOf(batch(1, rows))).isEqualTo(INLINE);
  }

  @Test
  void dictionaries_are_found_again_when_the_store_is_opened_again() {
    int first = idOf(shape(1, "first", 3));
    int second = idOf(shape(1, "second", 3));
    assertThat(second).isNotEqualTo(first);
    Dictionaries opened = new Dictionaries(store);
    assertThat(opened.idOf(shape(1, "second", 3))).isEqualTo(second);
    assertThat(opened.idOf(shape(1, "first", 3))).isEqualTo(first);
    assertThat(opened.idOf(shape(2, "first", 3))).isNotEqualTo(INLINE);
    assertThat(opened.namesOf(1).apply(first)).containsExactly("first0", "first1", "first2");
  }

  @Test
  void a_partition_has_as_many_dictionaries_as_it_may_and_no_more() {
    for (int i = 0; i < Dictionaries.PARTITION_COUNT_MAX; i++) {
      assertThat(idOf(shape(1, "shape" + i + "-", 2))).isNotEqualTo(INLINE);
    }
    assertThat(idOf(shape(1, "further", 2))).isEqualTo(INLINE);
    assertThat(idOf(shape(1, "shape0-", 2))).isNotEqualTo(INLINE);
    assertThat(idOf(shape(2, "further", 2))).isNotEqualTo(INLINE);
  }

  @Test
  void a_partition_has_as_many_bytes_of_dictionaries_as_it_may_and_no_more() {
    String prefix = "n".repeat(200);
    for (int i = 0; idOf(shape(1, prefix + i + "-", 1_024)) != INLINE; i++) {
      assertThat(i).isLessThan(30);
    }
    assertThat(store.bytes())
        .isBetween(
            Dictionaries.PARTITION_BYTES_MAX * 9L / 10, Dictionaries.PARTITION_BYTES_MAX + 4_096L);
  }

  /** 3,400 such writes were kept in memory for good, also when their table was dropped. */
  @Test
  void names_in_memory_have_a_bound_and_are_read_again_when_they_were_evicted() {
    long cacheBytesMax = 100_000;
    Dictionaries small = new Dictionaries(store, cacheBytesMax);
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      ids.add(small.idOf(shape(1 + i % 3, "shape" + i + "-", 100)));
      store(small, store);
    }
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < ids.size(); i++) {
        assertThat(small.namesOf(1 + i % 3).apply(ids.get(i)))
            .hasSize(100)
            .contains("shape" + i + "-7");
        assertThat(small.cachedBytes()).isBetween(1L, cacheBytesMax);
      }
    }
  }

  @Test
  void what_is_used_again_and_again_is_not_evicted_by_what_is_used_once() {
    Dictionaries small = new Dictionaries(store, 100_000);
    int id = small.idOf(shape(1, "often", 10));
    store(small, store);
    String[] often = small.namesOf(1).apply(id);
    for (int i = 0; i < 200; i++) {
      int other = small.idOf(shape(1, "shape" + i + "-", 100));
      store(small, store);
      assertThat(small.namesOf(1).apply(other)).hasSize(100);
      assertThat(small.namesOf(1).apply(id)).isSameAs(often);
    }
  }

  @Test
  void a_dictionary_that_is_larger_than_the_cache_is_read_each_time() {
    Dictionaries tiny = new Dictionaries(store, 1_000);
    int id = tiny.idOf(shape(1, "wide", 1_024));
    store(tiny, store);
    assertThat(tiny.namesOf(1).apply(id)).hasSize(1_024);
    assertThat(tiny.idOf(shape(1, "wide", 1_024))).isEqualTo(id);
    assertThat(tiny.cachedBytes()).isZero();
  }

  @Test
  void what_is_known_of_partitions_is_forgotten_and_found_again() {
    int id = idOf(shape(1, "first", 2));
    int partitions = Dictionaries.KNOWN_MAX / Dictionaries.PARTITION_COUNT_MAX + 2;
    for (int partition = 2; partition < partitions; partition++) {
      for (int i = 0; i < Dictionaries.PARTITION_COUNT_MAX; i++) {
        store.put(
            StoreFormat.dictionaryKey(new NameCache.Key(partition, 1 + i)),
            new byte[] {1, 2, (byte) ('a' + i % 26), (byte) ('a' + i / 26)});
      }
      var unused = idOf(shape(partition, "any", 2));
      assertThat(dictionaries.knownCount()).isLessThanOrEqualTo(Dictionaries.KNOWN_MAX);
    }
    assertThat(idOf(shape(1, "first", 2))).isEqualTo(id);
  }

  @Test
  void names_go_with_their_partition_and_their_ids_are_not_given_out_again() {
    int id = idOf(shape(1, "first", 3));
    assertThat(dictionaries.namesOf(1).apply(id)).hasSize(3);
    int others = idOf(shape(2, "second", 3));
    assertThat(dictionaries.namesOf(2).apply(others)).hasSize(3);
    long both = dictionaries.cachedBytes();
    dictionaries.drop(1);
    store.remove(StoreFormat.dictionariesOf(1));
    assertThat(dictionaries.cachedBytes()).isBetween(1L, both - 1);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> dictionaries.namesOf(1).apply(id))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_PARTITION));
    assertThat(idOf(shape(1, "third", 3))).isGreaterThan(id);
    assertThat(dictionaries.namesOf(2).apply(others)).hasSize(3);
  }
}
