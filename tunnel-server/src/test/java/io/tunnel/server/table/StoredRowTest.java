package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The bytes of stored rows. */
class StoredRowTest {

  /** INTEGER 7 under name 0, STRING "x" under name 1. */
  /** Form 0, committed at 5 us. */
  private static final String HEAD = "00 00000000000005";

  private static final String COLUMNS = "02" + "00 01 0000000000000007" + "01 04 01 78";

  private static final int PARTITION = 7;

  private final StoredMap store = new StoredMap();
  private final Dictionaries dictionaries = new Dictionaries(store);
  private final IntFunction<String[]> names = dictionaries.namesOf(PARTITION);

  /** Dictionary 1 of the partition: "a" and "b". */
  private void storeDictionary() {
    store.put(bytes("00000000 05 00000007 00000001"), bytes("02 01 61 01 62"));
  }

  private static byte[] bytes(String hex) {
    return Bytes.fromHex(hex.replace(" ", "")).toByteArray();
  }

  private static final List<Column> ROW =
      List.of(
          new Column("a", ColumnValue.fromLong(7)), new Column("b", ColumnValue.fromString("x")));

  @Test
  void a_row_names_its_dictionary_or_carries_its_names() {
    storeDictionary();
    assertThat(StoredRow.columns(bytes(HEAD + "01" + COLUMNS), names)).isEqualTo(ROW);
    byte[] inline = bytes(HEAD + "00" + "02 04 01 61 01 62" + COLUMNS);
    assertThat(StoredRow.columns(inline, new Dictionaries(new StoredMap()).namesOf(PARTITION)))
        .isEqualTo(ROW);
    Dictionaries fresh = new Dictionaries(new StoredMap());
    assertThat(StoredRow.of(inline, names).encode(PARTITION, fresh)).isEqualTo(inline);
  }

  @Test
  void a_shape_that_comes_a_second_time_gets_a_dictionary_of_its_partition() {
    StoredRow row = StoredRow.of(bytes(HEAD + "00" + "02 04 01 61 01 62" + COLUMNS), names);
    byte[] inline = row.encode(PARTITION, dictionaries);
    byte[] named = row.encode(PARTITION, dictionaries);
    assertThat(named).isEqualTo(bytes(HEAD + "01" + COLUMNS));
    assertThat(row.encode(PARTITION, dictionaries)).isEqualTo(named);
    WriteBatchSink write = new WriteBatchSink();
    dictionaries.storeNew(write);
    store.apply(write.toByteArray());
    dictionaries.stored();
    assertThat(store.get(bytes("00000000 05 00000007 00000001")))
        .isEqualTo(bytes("02 01 61 01 62"));
    assertThat(StoredRow.columns(named, names)).isEqualTo(ROW);
    assertThat(StoredRow.of(named, names).encode(PARTITION, dictionaries)).isEqualTo(named);
    assertThat(StoredRow.columns(inline, names)).isEqualTo(ROW);
  }

  /** Updates of INTEGER 8 under name "b", and of "a", which goes; then of a name of its own. */
  @Test
  void a_row_of_several_parts_is_what_the_later_ones_leave_of_those_before() {
    storeDictionary();
    String update = "00 00000000000006" + "01" + "02" + "01 01 0000000000000008" + "00 06";
    String inline = "00 00000000000007" + "00" + "01 02 01 63" + "01" + "00 03 01";
    assertThat(StoredRow.columns(bytes(HEAD + "01" + COLUMNS + update + inline), names))
        .containsExactly(
            new Column("b", ColumnValue.fromLong(8)),
            new Column("c", ColumnValue.fromBoolean(true)));
    assertThat(StoredRow.columns(bytes(update), names))
        .containsExactly(new Column("b", ColumnValue.fromLong(8)));
    assertThat(StoredRow.columns(bytes(HEAD + "0100" + inline), names))
        .containsExactly(new Column("c", ColumnValue.fromBoolean(true)));
    byte[] cut = bytes(HEAD + "01" + COLUMNS + HEAD + "01 02 01 01 0000");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> StoredRow.columns(cut, names));
  }

  @Test
  void the_commit_time_of_a_row_is_that_of_its_last_part() {
    storeDictionary();
    String update = "00 00000000000006" + "01" + "01" + "01 01 0000000000000008";
    assertThat(StoredRow.commitMicros(bytes(HEAD + "01" + COLUMNS))).isEqualTo(5);
    byte[] parts = bytes(HEAD + "01" + COLUMNS + update);
    assertThat(StoredRow.commitMicros(parts)).isEqualTo(6);
    byte[] rewritten = StoredRow.of(parts, names).encode(PARTITION, dictionaries);
    assertThat(StoredRow.commitMicros(rewritten)).isEqualTo(6);
    assertThat(StoredRow.commitMicros(bytes("00 ffffffffffffff" + "01" + COLUMNS)))
        .isEqualTo((1L << 56) - 1);
  }

  @Test
  void what_a_newer_build_stored_is_refused_by_name() {
    storeDictionary();
    String none = "01 00000000000005" + "00" + "01" + COLUMNS;
    assertThat(StoredRow.columns(bytes(none), names)).isEqualTo(ROW);
    assertThat(StoredRow.commitMicros(bytes(none))).isEqualTo(5);
    requireRefused("01 00000000000005" + "04" + "e8 07 01 aa", "attribute 1000 of a stored row");
    requireRefused("01 00000000000005" + "03" + "01 01 aa", "attribute 1 (expiry) of a stored row");
    requireRefused("02 00000000000005", "a stored row of form 2, which this build does not know");
    requireRefused("ff 00000000000005", "form 255");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> StoredRow.columns(bytes("00 0000"), names));
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> StoredRow.columns(bytes("01 00000000000005 7f 02 01"), names));
  }

  private void requireRefused(String part, String why) {
    byte[] value = bytes(part + "01" + COLUMNS);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> StoredRow.columns(value, names))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_FAILED))
        .withMessageContaining(why)
        .withMessageContaining("upgrade this one");
    assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> StoredRow.of(value, names));
  }
}
