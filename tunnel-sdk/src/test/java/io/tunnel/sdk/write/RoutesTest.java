package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys are compared with bounds in the order of their bytes, encoded or not. */
class RoutesTest {

  private static final List<PrimaryKeyValue> TEXTS =
      Stream.of(
              "",
              "\0",
              "\0\0",
              "a",
              "a\0",
              "a\0b",
              "aa",
              "b",
              "\u007f",
              "\u0080",
              "\u00e9",
              "\u07ff",
              "\u0800",
              "\ud7ff",
              "\ue000",
              "\uffff",
              "\ud800\udc00",
              "\udbff\udfff",
              "a\ue000",
              "a\ud800\udc00")
          .map(PrimaryKeyValue::fromString)
          .toList();

  private static final List<PrimaryKeyValue> BINARIES =
      Stream.of("", "00", "0000", "00ff", "01", "0100", "7f", "80", "ff", "ff00", "ffff")
          .map(hex -> PrimaryKeyValue.fromBinary(Bytes.fromHex(hex).toByteArray()))
          .toList();

  private static final List<PrimaryKeyValue> INTEGERS =
      Stream.of(Long.MIN_VALUE, -1L, 0L, 1L, 255L, 256L, Long.MAX_VALUE)
          .map(PrimaryKeyValue::fromLong)
          .toList();

  static List<List<PrimaryKeyValue>> values() {
    return List.of(TEXTS, BINARIES, INTEGERS);
  }

  @ParameterizedTest
  @MethodSource("values")
  void a_key_is_where_its_bytes_are(List<PrimaryKeyValue> values) {
    for (PrimaryKeyValue at : values) {
      Routes.Bound bound = Routes.Bound.of(KeyCodec.encode(at), at.getType());
      for (PrimaryKeyValue key : values) {
        boolean isAtOrBelow = KeyCodec.encode(at).compareTo(KeyCodec.encode(key)) <= 0;
        assertThat(bound.isAtOrBelow(key)).as("%s <= %s", at, key).isEqualTo(isAtOrBelow);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("values")
  void a_key_of_another_type_is_where_its_bytes_are(List<PrimaryKeyValue> values) {
    Routes.Bound bound = Routes.Bound.of(KeyCodec.encode(TEXTS.get(5)), PrimaryKeyType.STRING);
    for (PrimaryKeyValue key : values) {
      boolean isAtOrBelow = bound.encoded().compareTo(KeyCodec.encode(key)) <= 0;
      assertThat(bound.isAtOrBelow(key)).as("%s", key).isEqualTo(isAtOrBelow);
    }
  }

  @ParameterizedTest
  @MethodSource("values")
  void a_bound_that_is_no_whole_column_is_compared_as_bytes(List<PrimaryKeyValue> values) {
    for (PrimaryKeyValue at : values) {
      Bytes whole = KeyCodec.encode(at);
      Bytes part = Bytes.copyOf(whole.toByteArray(), 0, whole.length() - 1);
      Routes.Bound bound = Routes.Bound.of(part, at.getType());
      for (PrimaryKeyValue key : values) {
        boolean isAtOrBelow = part.compareTo(KeyCodec.encode(key)) <= 0;
        assertThat(bound.isAtOrBelow(key)).as("%s <= %s", part, key).isEqualTo(isAtOrBelow);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("values")
  void a_key_that_cannot_be_encoded_is_refused_or_left_to_the_batch(List<PrimaryKeyValue> values) {
    PrimaryKeyValue unpaired = PrimaryKeyValue.fromString("\ud800");
    PrimaryKeyValue at = values.get(0);
    Routes.Bound bound = Routes.Bound.of(KeyCodec.encode(at), at.getType());
    if (at.getType() == PrimaryKeyType.STRING) {
      assertThat(bound.isAtOrBelow(unpaired)).isTrue();
    } else {
      assertThatThrownBy(() -> bound.isAtOrBelow(unpaired))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
