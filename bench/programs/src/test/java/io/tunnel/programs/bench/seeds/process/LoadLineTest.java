package io.tunnel.programs.bench.seeds.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadLineTest {

  @Test
  void a_line_keeps_its_numbers() {
    LoadLine line = LoadLine.of(Word.DONE, Map.of("sent", 7.0, "wrong", 1e12));
    assertThat(LoadLine.parse(line.line())).isEqualTo(line);
    assertThat(LoadLine.parse("measuring")).isEqualTo(LoadLine.of(Word.MEASURING, Map.of()));
    assertThat(line.number("sent")).isEqualTo(7);
    assertThatThrownBy(() -> line.number("received")).hasMessageContaining("'received'");
  }

  @Test
  void a_failure_is_one_line_whatever_it_says() {
    LoadLine line = LoadLine.failed(new IllegalStateException("no\nroom = 3"));
    assertThat(line.line()).doesNotContain("\n");
    assertThat(LoadLine.parse(line.line())).isEqualTo(line);
    assertThat(line.text()).isEqualTo("no room = 3");
    assertThat(LoadLine.failed(new NullPointerException("x")).text())
        .as("a fault of the load")
        .isEqualTo("java.lang.NullPointerException: x");
    assertThat(LoadLine.failed(new IOException()).text()).isEqualTo("java.io.IOException");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello", "done sent", "done sent=x", "DONE"})
  void another_line_is_refused(String line) {
    assertThatThrownBy(() -> LoadLine.parse(line)).isInstanceOf(IllegalArgumentException.class);
  }
}
