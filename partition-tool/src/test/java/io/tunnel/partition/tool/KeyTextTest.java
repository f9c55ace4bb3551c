package io.tunnel.partition.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTextTest {

  @Test
  void what_is_written_is_read_again() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 1_000; i++) {
      byte[] bytes = new byte[random.nextInt(20)];
      random.nextBytes(bytes);
      for (PrimaryKeyValue value :
          new PrimaryKeyValue[] {
            PrimaryKeyValue.fromLong(random.nextLong() >> random.nextInt(63)),
            PrimaryKeyValue.fromBinary(bytes),
            PrimaryKeyValue.fromString(Integer.toString(random.nextInt(), 36))
          }) {
        assertThat(KeyText.parse(value.getType(), KeyText.format(value))).isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INTEGER|x|'x' is not an INTEGER (a whole number of 64 bits, such as 42)",
        "INTEGER|9223372036854775808|'9223372036854775808' is not an INTEGER",
        "INTEGER|1.5|'1.5' is not an INTEGER",
        "BINARY|abc|'abc' is not BINARY (two hexadecimal digits a byte, such as 00ff12)",
        "BINARY|0x12|'0x12' is not BINARY"
      })
  void what_is_no_value_is_refused_with_what_would_be_right(
      PrimaryKeyType type, String text, String message) {
    assertThatThrownBy(() -> KeyText.parse(type, text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void a_key_column_has_a_limit() {
    assertThat(KeyText.parse(PrimaryKeyType.STRING, "x".repeat(1_024)).asString()).hasSize(1_024);
    assertThatThrownBy(() -> KeyText.parse(PrimaryKeyType.STRING, "x".repeat(1_025)))
        .hasMessageContaining("at most 1024 bytes");
  }

  @Test
  void a_schema_is_names_and_types() {
    assertThat(KeyText.parseSchema("hash:BINARY, uid:string,a:b:Integer"))
        .containsExactly(
            new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
            new PrimaryKeySchema("uid", PrimaryKeyType.STRING),
            new PrimaryKeySchema("a:b", PrimaryKeyType.INTEGER));
    assertThat(KeyText.formatSchema(KeyText.parseSchema("hash:BINARY,uid:STRING")))
        .isEqualTo("(hash BINARY, uid STRING)");
  }

  @Test
  void a_column_that_the_server_numbers_is_auto() {
    assertThat(KeyText.parseSchema("shop:STRING, a:b:integer:auto,c:INTEGER"))
        .containsExactly(
            new PrimaryKeySchema("shop", PrimaryKeyType.STRING),
            PrimaryKeySchema.auto("a:b"),
            new PrimaryKeySchema("c", PrimaryKeyType.INTEGER));
    assertThat(KeyText.formatSchema(KeyText.parseSchema("shop:STRING,n:INTEGER:AUTO")))
        .isEqualTo("(shop STRING, n INTEGER AUTO)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hash|--key 'hash' is not NAME:TYPE",
        "hash:BINARY,|--key '' is not NAME:TYPE",
        ":BINARY|--key ':BINARY' is not NAME:TYPE",
        "hash:BINARY,n:STRING:AUTO|key column 'n' is STRING and AUTO",
        "hash:BLOB|'BLOB' is not a type of a key column: INTEGER, STRING or BINARY"
      })
  void what_is_no_schema_is_refused_with_what_would_be_right(String text, String message) {
    assertThatThrownBy(() -> KeyText.parseSchema(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
