package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BinaryTest {

  private static Stream<Integer> numbers() {
    List<Integer> numbers = new ArrayList<>(List.of(0, 1, Integer.MAX_VALUE));
    for (int bits = 1; bits < 31; bits++) {
      numbers.addAll(List.of((1 << bits) - 1, 1 << bits, (1 << bits) + 1));
    }
    return numbers.stream();
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void a_varint_survives_the_round_trip_and_is_refused_when_cut(int number) {
    byte[] array = new byte[10];
    int end = Binary.putVarint(array, 3, number);
    assertThat(end - 3).isEqualTo(Binary.varintBytes(number));

    long varint = Binary.getVarint(array, 3, end);
    assertThat(Binary.value(varint)).isEqualTo(number);
    assertThat(Binary.next(varint)).isEqualTo(end);
    for (int limit = 3; limit < end; limit++) {
      int cut = limit;
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> Binary.getVarint(array, 3, cut))
          .withMessageContaining("runs over the end");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8000, padded",
    "ff00, padded",
    "80808000, padded",
    "8080808000, padded",
    "ffffffff08, over 2^31-1",
    "ffffffff0f, over 2^31-1",
    "ffffffff87, over 2^31-1",
    "808080808001, over 2^31-1"
  })
  void another_spelling_of_a_number_and_a_number_too_large_are_refused(String hex, String message) {
    byte[] bytes = Bytes.fromHex(hex).toByteArray();
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Binary.getVarint(bytes, 0, bytes.length))
        .withMessageContaining(message);
  }

  @Test
  void fixed_width_numbers_are_big_endian() {
    byte[] array = new byte[15];
    Binary.putShort(array, 1, 0x1fffe);
    Binary.putInt(array, 3, 0x01020304);
    Binary.putLong(array, 7, -2);
    assertThat(Bytes.copyOf(array)).hasToString("00fffe01020304fffffffffffffffe");
    assertThat(Binary.getShort(array, 1)).isEqualTo(0xfffe);
    assertThat(Binary.getInt(array, 3)).isEqualTo(0x01020304);
    assertThat(Binary.getLong(array, 7)).isEqualTo(-2);
    assertThat(Binary.getByte(array, 14)).isEqualTo(0xfe);
  }

  @Test
  void a_byte_is_found_wherever_it_stands_and_nowhere_else() {
    Random random = new Random(1);
    byte[] array = new byte[64];
    for (int round = 0; round < 20_000; round++) {
      for (int i = 0; i < array.length; i++) {
        array[i] = (byte) (random.nextInt(4) * 64 - random.nextInt(2));
      }
      int from = random.nextInt(array.length);
      int to = from + random.nextInt(array.length - from + 1);
      byte wanted = array[random.nextInt(array.length)];
      int expected = -1;
      for (int at = to - 1; at >= from; at--) {
        expected = array[at] == wanted ? at : expected;
      }
      // Before the search, bytes that it must not take for the wanted one.
      Arrays.fill(array, 0, from, wanted);
      assertThat(Binary.indexOf(wanted, array, from, to)).isEqualTo(expected);
    }
    assertThat(Binary.indexOf((byte) 7, new byte[64], 0, 64)).isEqualTo(-1);
  }

  @Test
  void plain_text_ends_at_the_first_byte_that_is_zero_or_not_ascii() {
    Random random = new Random(2);
    byte[] ends = {0, (byte) 0x80, (byte) 0xff};
    byte[] array = new byte[64];
    for (int round = 0; round < 20_000; round++) {
      for (int i = 0; i < array.length; i++) {
        array[i] = (byte) (1 + random.nextInt(127));
      }
      int from = random.nextInt(array.length);
      int to = from + random.nextInt(array.length - from + 1);
      int expected = -1;
      for (int i = random.nextInt(4); i > 0 && from < to; i--) {
        int at = from + random.nextInt(to - from);
        array[at] = ends[random.nextInt(ends.length)];
        expected = expected < 0 ? at : Math.min(at, expected);
      }
      // Around the text, bytes that must not be taken for its end.
      Arrays.fill(array, 0, from, (byte) 0);
      Arrays.fill(array, to, array.length, (byte) 0);
      assertThat(Binary.asciiEnd(array, from, to)).isEqualTo(expected);
    }
  }
}
