package io.tunnel.condition;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any text as a condition: one with a canonical text, or a refusal at a place in the text. */
@Tag("proof-fuzz")
class ConditionTextFuzzTest {

  static Stream<Arguments> texts() {
    return Stream.of(
            "version = 7 and state != \"done\"",
            "not (a < -1.5e3 or before.b >= infinity) and exists `c d\\u{1f600}`",
            "change is put or change.x starts with x'00ff' or y = 'it\\'s' or z = true")
        .map(text -> Arguments.of((Object) text.getBytes(StandardCharsets.UTF_8)));
  }

  @MethodSource("texts")
  @FuzzTest(maxDuration = "")
  void a_text_is_a_condition_or_is_refused_at_a_place(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    Condition condition;
    try {
      condition = Condition.parse(text);
    } catch (ConditionException e) {
      assertThat(e.offset()).isBetween(0, text.length());
      assertThat(e.excerpt()).hasSize(2);
      return;
    }
    assertThat(Condition.parse(condition.text())).isEqualTo(condition);
    assertThat(Condition.decode(condition.encode())).isEqualTo(condition);
  }
}
