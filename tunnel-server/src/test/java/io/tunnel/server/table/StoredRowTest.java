package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.Dictionary;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of stored rows: what any version wrote, later ones read. */
class StoredRowTest {

  /** INTEGER 7 under name 0, STRING "x" under name 1. */
  private static final String COLUMNS = "02" + "00 01 0000000000000007" + "01 04 01 78";

  private final Dictionaries dictionaries = new Dictionaries();

  private static byte[] bytes(String hex) {
    return Bytes.fromHex(hex.replace(" ", "")).toByteArray();
  }

  private static final List<Column> ROW =
      List.of(
          new Column("a", ColumnValue.fromLong(7)), new Column("b", ColumnValue.fromString("x")));

  @Test
  void a_row_of_the_first_version_names_its_dictionary_or_carries_its_names() {
    byte[] names = Dictionary.encode(new String[] {"a", "b"});
    assertThat(dictionaries.idOf(names, 0, names.length, 2)).isEqualTo(1);
    assertThat(StoredRow.columns(bytes("01" + COLUMNS), dictionaries)).isEqualTo(ROW);
    byte[] inline = bytes("00" + "02 04 01 61 01 62" + COLUMNS);
    assertThat(StoredRow.columns(inline, new Dictionaries())).isEqualTo(ROW);
    assertThat(StoredRow.of(inline, dictionaries).encode(dictionaries))
        .isEqualTo(bytes("01" + COLUMNS));
  }

  /** Updates of INTEGER 8 under name "b", and of "a", which goes; then of a name of its own. */
  @Test
  void a_row_of_several_parts_is_what_the_later_ones_leave_of_those_before() {
    byte[] names = Dictionary.encode(new String[] {"a", "b"});
    assertThat(dictionaries.idOf(names, 0, names.length, 2)).isEqualTo(1);
    String update = "01" + "02" + "01 01 0000000000000008" + "00 06";
    String inline = "00" + "01 02 01 63" + "01" + "00 03 01";
    assertThat(StoredRow.columns(bytes("01" + COLUMNS + update + inline), dictionaries))
        .containsExactly(
            new Column("b", ColumnValue.fromLong(8)),
            new Column("c", ColumnValue.fromBoolean(true)));
    assertThat(StoredRow.columns(bytes(update), dictionaries))
        .containsExactly(new Column("b", ColumnValue.fromLong(8)));
    assertThat(StoredRow.columns(bytes("0100" + inline), dictionaries))
        .containsExactly(new Column("c", ColumnValue.fromBoolean(true)));
    byte[] cut = bytes("01" + COLUMNS + "01 02 01 01 0000");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> StoredRow.columns(cut, dictionaries));
  }

  @Test
  void a_row_in_the_form_of_a_later_version_is_refused_by_its_number() {
    for (String later : List.of("81 20", "ff 7f", "ff ff ff ff 07")) {
      assertThatExceptionOfType(RefusedException.class)
          .isThrownBy(() -> StoredRow.columns(bytes(later + COLUMNS), dictionaries))
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_FAILED))
          .withMessageContaining("use the version that wrote it");
    }
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> StoredRow.of(bytes("81 20" + COLUMNS), dictionaries))
        .withMessageContaining("form 4097");
  }

  @Test
  void no_dictionary_takes_the_number_of_a_later_form() {
    for (int i = 0; i < Dictionaries.COUNT_MAX; i++) {
      byte[] name = Dictionary.encode(new String[] {"n" + i});
      assertThat(dictionaries.idOf(name, 0, name.length, 1))
          .isBetween(1, StoreFormat.LATER_FORM_MIN - 1);
    }
    byte[] further = Dictionary.encode(new String[] {"further"});
    assertThat(dictionaries.idOf(further, 0, further.length, 1))
        .isEqualTo(StoreFormat.INLINE_DICTIONARY);
  }
}
