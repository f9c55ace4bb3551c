package io.tunnel.stress.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypedTextTest {

  @ParameterizedTest
  @CsvSource({"0, 0", "-0, 0", "42, 42", "-9223372036854775808, -9223372036854775808"})
  void whole_numbers_are_integers(String text, long value) {
    assertThat(TypedText.infer(text)).isEqualTo(ColumnValue.fromLong(value));
  }

  @ParameterizedTest
  @CsvSource({"1.5, 1.5", "-0.25, -0.25", "1e3, 1000", "2.5E-1, 0.25"})
  void numbers_with_a_point_or_an_exponent_are_doubles(String text, double value) {
    assertThat(TypedText.infer(text)).isEqualTo(ColumnValue.fromDouble(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "007",
        "1.",
        ".5",
        "1,5",
        "9223372036854775808",
        "1e999",
        "NaN",
        "0x10",
        "+1",
        "1 ",
        "yes",
        "truely",
        "2024-01-01",
        "1.2.3",
        "é"
      })
  void everything_else_is_text(String text) {
    assertThat(TypedText.infer(text)).isEqualTo(ColumnValue.fromString(text));
  }

  @Test
  void true_and_false_are_booleans_in_any_case() {
    assertThat(TypedText.infer("true")).isEqualTo(ColumnValue.fromBoolean(true));
    assertThat(TypedText.infer("FALSE")).isEqualTo(ColumnValue.fromBoolean(false));
  }

  @Test
  void a_given_type_is_kept_or_refused() {
    assertThat(TypedText.parse("007", ColumnType.INTEGER)).isEqualTo(ColumnValue.fromLong(7));
    assertThat(TypedText.parse("7", ColumnType.DOUBLE)).isEqualTo(ColumnValue.fromDouble(7));
    assertThat(TypedText.parse("7", ColumnType.STRING)).isEqualTo(ColumnValue.fromString("7"));
    assertThat(TypedText.parse("1", ColumnType.BOOLEAN)).isEqualTo(ColumnValue.fromBoolean(true));
    assertThat(TypedText.parse("0102", ColumnType.BINARY))
        .isEqualTo(ColumnValue.fromBinary(new byte[] {1, 2}));
    assertThat(TypedText.parseKey("12", PrimaryKeyType.INTEGER))
        .isEqualTo(PrimaryKeyValue.fromLong(12));
    for (ColumnType type : List.of(ColumnType.INTEGER, ColumnType.DOUBLE, ColumnType.BOOLEAN)) {
      assertThatThrownBy(() -> TypedText.parse("x".repeat(100), type))
          .hasMessageContaining("is no " + type)
          .hasMessageContaining("…");
    }
    assertThatThrownBy(() -> TypedText.parse("***", ColumnType.BINARY))
        .hasMessageContaining("no BINARY (two hexadecimal digits a byte)");
  }

  @Test
  void types_are_given_as_column_and_type() {
    assertThat(ColumnTypes.parse(List.of("a:INTEGER", "b:c:string")))
        .isEqualTo(Map.of("a", ColumnType.INTEGER, "b:c", ColumnType.STRING));
    for (String wrong : List.of("a", ":INTEGER", "a:NUMBER", "a:")) {
      assertThatThrownBy(() -> ColumnTypes.parse(List.of(wrong)))
          .hasMessageContaining("'" + wrong + "' is not COLUMN:TYPE")
          .hasMessageContaining("INTEGER, DOUBLE, BOOLEAN, STRING, BINARY");
    }
  }
}
