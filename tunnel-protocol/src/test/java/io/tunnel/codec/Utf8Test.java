package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "?", "what?", "12345678", "123456789é", "é?", "中文", "😀", "a😀?\0\uffff"})
  void text_survives_the_round_trip(String text) {
    byte[] bytes = Utf8.encode(text);
    assertThat(bytes).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    Utf8.require(bytes, 0, bytes.length);
    assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\ud83d", "\ude00", "a\ud83d", "\ud83da", "\ude00\ud83d", "é\ud83d", "?\ud83d??"})
  void an_unpaired_surrogate_is_refused_instead_of_replaced(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Utf8.encode(text))
        .withMessageContaining("unpaired surrogate");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80", // a continuation without a start
        "c3", // a start without a continuation
        "c080", // zero, spelled too long
        "eda080", // a surrogate
        "f4908080", // beyond the last character
        "6162636465666768ff", // behind eight bytes of ASCII
      })
  void bytes_that_are_not_utf8_are_refused(String hex) {
    byte[] bytes = Bytes.fromHex(hex).toByteArray();
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Utf8.require(bytes, 0, bytes.length))
        .withMessageContaining("not UTF-8");
  }

  @Test
  void only_the_bytes_of_the_text_are_looked_at() {
    byte[] bytes = Bytes.fromHex("ff6162636465666768696aff").toByteArray();
    assertThatCode(() -> Utf8.require(bytes, 1, 10)).doesNotThrowAnyException();
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Utf8.require(bytes, 1, 11));
  }

  @ParameterizedTest
  @CsvSource({
    "abc, 4, abc",
    "abc, 3, abc",
    "abc, 2, ab",
    "abc, 0, ''",
    "'', 0, ''",
    "é中文, 2, é中",
    "a😀b, 4, a😀b",
    "a😀b, 3, a😀",
    "a😀b, 2, a",
    "a😀b, 1, a",
    "😀😀, 4, 😀😀",
    "😀😀, 3, 😀",
    "😀, 1, ''",
  })
  void the_start_of_a_text_cuts_no_character(String text, int charsMax, String start) {
    assertThat(Utf8.start(text, charsMax)).isEqualTo(start);
  }

  @Test
  void the_start_of_a_text_has_a_question_mark_for_what_utf8_cannot_hold() {
    assertThat(Utf8.start("a\ud83d", 9)).isEqualTo("a?");
    assertThat(Utf8.start("\ud83d", 1)).isEqualTo("?");
    assertThat(Utf8.start("\ude00\ud83d😀", 9)).isEqualTo("??😀");
    assertThat(Utf8.start("\ud83d\ud83d😀", 3))
        .as("of a pair the whole or nothing")
        .isEqualTo("??");
    assertThat(Utf8.start("\ude00\ude00\ude00", 2)).isEqualTo("??");
    String start = Utf8.start("😀\ud83d é".repeat(99), 301);
    assertThat(start.length()).as("the next is half an emoji").isEqualTo(300);
    assertThat(Utf8.encode(start)).isEqualTo(start.getBytes(StandardCharsets.UTF_8));
  }
}
