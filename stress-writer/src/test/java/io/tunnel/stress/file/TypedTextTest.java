package io.tunnel.stress.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKeySchema;
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
        "1e-400",
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
    assertThat(TypedText.parseKey("12", new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)))
        .isEqualTo(PrimaryKeyValue.fromLong(12));
    assertThat(TypedText.parseKey(" Auto", PrimaryKeySchema.auto("id")).isAuto()).isTrue();
    assertThat(TypedText.parseKey("12", PrimaryKeySchema.auto("id")))
        .isEqualTo(PrimaryKeyValue.fromLong(12));
    assertThatThrownBy(
            () -> TypedText.parseKey("auto", new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)))
        .hasMessageContaining("'auto' is no INTEGER");
    for (ColumnType type : List.of(ColumnType.INTEGER, ColumnType.DOUBLE, ColumnType.BOOLEAN)) {
      assertThatThrownBy(() -> TypedText.parse("x".repeat(100), type))
          .hasMessageContaining("is no " + type)
          .hasMessageContaining("…");
    }
    assertThatThrownBy(() -> TypedText.parse("***", ColumnType.BINARY))
        .hasMessageContaining("no BINARY (two hexadecimal digits a byte)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"5d", "1f", "0x1p3", "\u0663", "1_000", "1,5", "nan", "", ".", "e5"})
  void what_only_java_takes_for_a_number_is_none(String text) {
    for (ColumnType type : List.of(ColumnType.INTEGER, ColumnType.DOUBLE)) {
      assertThatThrownBy(() -> TypedText.parse(text, type))
          .hasMessage("'" + text + "' is no " + type);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1e400,DOUBLE,too large to be held",
    "-1e400,DOUBLE,too large to be held",
    "1e-400,DOUBLE,too near to 0 to be held",
    "-0.001e-400,DOUBLE,too near to 0 to be held",
    "9223372036854775808,INTEGER,does not fit into 64 bits"
  })
  void a_number_that_cannot_be_held_is_refused_with_why(
      String text, ColumnType type, String message) {
    assertThatThrownBy(() -> TypedText.parse(text, type))
        .hasMessageStartingWith("'" + text + "' is no " + type + ": it ")
        .hasMessageEndingWith(message);
  }

  @ParameterizedTest
  @CsvSource({
    "0e-400,0",
    "-0.0,-0.0",
    "+4,4",
    ".5,0.5",
    "5.,5",
    " 1e3 ,1000",
    "4.9E-324,4.9E-324",
    "NaN,NaN",
    "-Infinity,-Infinity"
  })
  void numbers_of_people_and_of_our_tools_are_held(String text, double number) {
    assertThat(TypedText.parse(text, ColumnType.DOUBLE)).isEqualTo(ColumnValue.fromDouble(number));
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
    assertThatThrownBy(() -> ColumnTypes.parse(List.of("a:INTEGER", "b:DOUBLE", "a:STRING")))
        .hasMessage("column 'a' is given a type twice");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"12345678901234567890", "-9223372036854775809", "1e400", "-1.5E999", "1e-400"})
  void a_number_of_json_that_no_type_holds_is_no_text(String number) {
    assertThatThrownBy(() -> TypedText.inferNumber(number))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no INTEGER and no DOUBLE holds the number " + number)
        .hasMessageContaining("--types COLUMN:STRING");
    assertThat(TypedText.infer(number)).as("in CSV").isEqualTo(ColumnValue.fromString(number));
  }

  @Test
  void a_number_of_json_is_an_integer_or_a_double() {
    assertThat(TypedText.inferNumber("-0")).isEqualTo(ColumnValue.fromLong(0));
    assertThat(TypedText.inferNumber("-9223372036854775808"))
        .isEqualTo(ColumnValue.fromLong(Long.MIN_VALUE));
    assertThat(TypedText.inferNumber("1E2")).isEqualTo(ColumnValue.fromDouble(100));
    assertThat(TypedText.inferNumber("0e-999")).isEqualTo(ColumnValue.fromDouble(0));
  }
}
