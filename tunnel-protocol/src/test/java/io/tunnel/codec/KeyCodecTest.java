package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyCodecTest {

  private static final List<PrimaryKeySchema> TEXT_AND_NUMBER =
      List.of(
          new PrimaryKeySchema("name", PrimaryKeyType.STRING),
          new PrimaryKeySchema("number", PrimaryKeyType.INTEGER));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bytes_sort_as_keys_do(long seed) {
    RandomRows random = new RandomRows(seed);
    for (int round = 0; round < 200; round++) {
      List<PrimaryKeySchema> schema = random.schema();
      List<PrimaryKey> keys =
          random.rows(schema, 30).stream().map(row -> row.primaryKey()).toList();
      for (PrimaryKey left : keys) {
        for (PrimaryKey right : keys) {
          int order = KeyCodec.encode(left, schema).compareTo(KeyCodec.encode(right, schema));
          assertThat(Integer.signum(order))
              .as("seed %d: %s and %s", seed, left, right)
              .isEqualTo(Integer.signum(compare(left, right)));
        }
      }
    }
  }

  private static int compare(PrimaryKey left, PrimaryKey right) {
    for (int i = 0; i < left.getPrimaryKeyColumns().size(); i++) {
      int order =
          compare(left.getPrimaryKeyColumn(i).getValue(), right.getPrimaryKeyColumn(i).getValue());
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int compare(PrimaryKeyValue left, PrimaryKeyValue right) {
    if (left.toColumnValue() instanceof IntegerValue number) {
      return Long.compare(number.value(), right.asLong());
    } else if (left.toColumnValue() instanceof StringValue text) {
      return Arrays.compare(
          text.value().codePoints().toArray(), right.asString().codePoints().toArray());
    } else {
      return Arrays.compareUnsigned(left.asBinary(), right.asBinary());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void a_key_survives_the_round_trip(long seed) {
    RandomRows random = new RandomRows(seed);
    for (int round = 0; round < 2_000; round++) {
      List<PrimaryKeySchema> schema = random.schema();
      PrimaryKey key = random.key(schema);
      byte[] bytes = KeyCodec.encode(key, schema).toByteArray();
      KeyCodec.require(bytes, 0, bytes.length, schema);
      PrimaryKey decoded = KeyCodec.decode(bytes, 0, bytes.length, schema);
      assertThat(decoded).isEqualTo(key).hasSameHashCodeAs(key).hasToString(key.toString());
      assertThat(key).isEqualTo(decoded);
      assertThat(decoded.getPrimaryKeyColumns())
          .containsExactlyElementsOf(key.getPrimaryKeyColumns());

      byte[] amidOthers = new byte[bytes.length + 20];
      Arrays.fill(amidOthers, (byte) 0xff);
      System.arraycopy(bytes, 0, amidOthers, 10, bytes.length);
      assertThat(KeyCodec.decode(amidOthers, 10, bytes.length, schema)).isEqualTo(key);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_single_column_survives_the_round_trip(PrimaryKeyType type) {
    RandomRows random = new RandomRows(7);
    for (int round = 0; round < 1_000; round++) {
      PrimaryKeyValue value = random.keyValue(type);
      Bytes bytes = KeyCodec.encode(value);
      assertThat(KeyCodec.decodeColumn(bytes, type)).isEqualTo(value);
      assertRefused(
          () -> KeyCodec.decodeColumn(concat(bytes, KeyCodec.encode(value)), type),
          "bytes after a key column");
    }
  }

  @Test
  void a_key_cut_short_gives_a_shorter_key_or_a_refusal() {
    RandomRows random = new RandomRows(8);
    for (int round = 0; round < 500; round++) {
      List<PrimaryKeySchema> schema = random.schema();
      byte[] bytes = KeyCodec.encode(random.key(schema), schema).toByteArray();
      for (int length = 0; length < bytes.length; length++) {
        assertKeyOrRefusal(Arrays.copyOf(bytes, length), schema);
      }
    }
  }

  @Test
  void a_flipped_bit_gives_another_key_or_a_refusal() {
    RandomRows random = new RandomRows(9);
    for (int round = 0; round < 500; round++) {
      List<PrimaryKeySchema> schema = random.schema();
      byte[] bytes = KeyCodec.encode(random.key(schema), schema).toByteArray();
      for (int bit = 0; bit < 8 * bytes.length; bit++) {
        byte[] flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        assertKeyOrRefusal(flipped, schema);
      }
    }
  }

  /** There is one spelling of each key, or equal keys would be different rows. */
  private static void assertKeyOrRefusal(byte[] bytes, List<PrimaryKeySchema> schema) {
    PrimaryKey key;
    try {
      key = KeyCodec.decode(bytes, 0, bytes.length, schema);
    } catch (MalformedException e) {
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> KeyCodec.require(bytes, 0, bytes.length, schema))
          .withMessage(e.getMessage());
      return;
    }
    KeyCodec.require(bytes, 0, bytes.length, schema);
    assertThat(KeyCodec.encode(key, schema)).isEqualTo(Bytes.copyOf(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "\0", "中", "😀"})
  void text_of_the_largest_size_is_taken_and_a_byte_more_refused(String character) {
    int bytes = Utf8.encode(character).length;
    int longest = Limits.KEY_COLUMN_BYTES_MAX / bytes;
    PrimaryKeyValue most = PrimaryKeyValue.fromString(character.repeat(longest));
    PrimaryKeyValue over =
        PrimaryKeyValue.fromString(character.repeat(longest) + "aaaa".substring(0, bytes));

    assertThat(KeyCodec.decodeColumn(KeyCodec.encode(most), PrimaryKeyType.STRING)).isEqualTo(most);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyCodec.encode(over))
        .withMessageContaining("at most 1024 bytes");
  }

  @Test
  void bytes_of_the_largest_size_are_taken_and_one_more_refused() {
    PrimaryKeyValue most =
        PrimaryKeyValue.fromBinary(Bytes.copyOf(new byte[Limits.KEY_COLUMN_BYTES_MAX]));
    PrimaryKeyValue over =
        PrimaryKeyValue.fromBinary(Bytes.copyOf(new byte[Limits.KEY_COLUMN_BYTES_MAX + 1]));

    Bytes encoded = KeyCodec.encode(most);
    assertThat(encoded.length()).isEqualTo(2 * Limits.KEY_COLUMN_BYTES_MAX + 2);
    assertThat(KeyCodec.decodeColumn(encoded, PrimaryKeyType.BINARY)).isEqualTo(most);
    assertThatIllegalArgumentException().isThrownBy(() -> KeyCodec.encode(over));
  }

  @ParameterizedTest
  @EnumSource(names = {"STRING", "BINARY"})
  void a_received_column_over_the_limit_is_refused(PrimaryKeyType type) {
    byte[] column = new byte[1 + Limits.KEY_COLUMN_BYTES_MAX + 1];
    Arrays.fill(column, (byte) 'x');
    column[0] = KeyCodec.encode(new RandomRows(1).keyValue(type)).at(0);
    column[column.length - 1] = 0;
    assertThat(KeyCodec.decodeColumn(Bytes.copyOf(column), type)).isNotNull();

    byte[] longer = Arrays.copyOf(column, column.length + 1);
    longer[column.length - 1] = 'x';
    assertRefused(() -> KeyCodec.decodeColumn(Bytes.copyOf(longer), type), "over 1024 bytes");
  }

  @Test
  void text_that_utf8_cannot_hold_is_refused_instead_of_replaced() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyCodec.encode(PrimaryKeyValue.fromString("ab\ud83d")))
        .withMessageContaining("unpaired surrogate at character 2");
  }

  @Test
  void a_key_that_does_not_match_the_schema_is_refused_with_both_in_the_message() {
    PrimaryKey tooShort = PrimaryKey.builder().add("name", "x").build();
    PrimaryKey tooLong =
        PrimaryKey.builder().add("name", "x").add("number", 1).add("more", 1).build();
    PrimaryKey otherType = PrimaryKey.builder().add("name", "x").add("number", "1").build();
    PrimaryKey otherName = PrimaryKey.builder().add("name", "x").add("count", 1).build();
    for (PrimaryKey key : List.of(tooShort, tooLong, otherType, otherName)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> KeyCodec.encode(key, TEXT_AND_NUMBER))
          .withMessage("key " + key + " does not match the table's (name STRING, number INTEGER)");
    }
  }

  @Test
  void received_bytes_of_another_schema_are_refused() {
    Bytes text = KeyCodec.encode(PrimaryKeyValue.fromString("x"));
    Bytes number = KeyCodec.encode(PrimaryKeyValue.fromLong(1));
    assertRefused(() -> require(concat(number, text)), "type INTEGER where the table has STRING");
    assertRefused(() -> require(text), "ends where a column of type INTEGER should be");
    assertRefused(() -> require(concat(concat(text, number), number)), "more columns than");
    assertRefused(() -> require(Bytes.fromHex("2a00")), "unknown tag 42");
    assertRefused(() -> require(Bytes.fromHex("05fe00")), "not UTF-8");
    assertRefused(() -> require(Bytes.fromHex("05fe00ff00")), "not UTF-8");
    assertRefused(() -> require(Bytes.fromHex("057800ff")), "not closed");
  }

  private static void require(Bytes key) {
    KeyCodec.require(key.toByteArray(), 0, key.length(), TEXT_AND_NUMBER);
  }

  private static void assertRefused(Runnable decoding, String message) {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(decoding::run)
        .withMessageContaining(message);
  }

  private static Bytes concat(Bytes left, Bytes right) {
    return Bytes.fromHex(left.toString() + right);
  }

  @Test
  void a_decoded_key_cannot_be_changed_and_has_the_names_of_its_table() {
    byte[] bytes =
        KeyCodec.encode(
                PrimaryKey.builder().add("name", "Ada").add("number", 1815).build(),
                TEXT_AND_NUMBER)
            .toByteArray();
    PrimaryKey key = new KeyDecoder(TEXT_AND_NUMBER).decode(bytes, 0, bytes.length);
    assertThat(key.getPrimaryKeyColumn("number").getValue().asLong()).isEqualTo(1815);
    assertThat(key.getPrimaryKeyColumn(0).getName()).isEqualTo("name");
    List<PrimaryKeyColumn> columns = key.getPrimaryKeyColumns();
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> columns.set(0, columns.get(1)));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> columns.iterator().remove());
  }

  @Test
  void a_decoder_refuses_columns_that_no_key_has() {
    PrimaryKeySchema id = new PrimaryKeySchema("id", PrimaryKeyType.INTEGER);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KeyDecoder(List.of(id, id)))
        .withMessage("primary-key column 'id' is named twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KeyDecoder(List.of()))
        .withMessage("a primary key has 1 to 4 columns, not 0");
  }
}
