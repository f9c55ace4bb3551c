package io.tunnel.kafka.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.kafka.table.TableLine.Word;
import io.tunnel.kafka.table.TableRequest.Verb;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableLineTest {

  @ParameterizedTest
  @EnumSource(Word.class)
  void a_line_is_read_as_it_was_said(Word word) {
    assertThat(TableLine.parse(TableLine.of(word).text())).contains(TableLine.of(word));
    TableLine line = TableLine.of(word, Long.MAX_VALUE);
    assertThat(TableLine.parse(line.text())).contains(line);
    assertThat(line.number()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "RECORD 1", "RECORDS1", "records 1", "SLF4J(W): no provider"})
  void what_a_library_printed_is_no_line(String text) {
    assertThat(TableLine.parse(text)).isEmpty();
  }

  @Test
  void a_reason_of_several_lines_is_said_on_one() {
    TableLine line = TableLine.failed(new IllegalStateException("no disk\n  at all"));
    assertThat(line.text()).isEqualTo("FAILED java.lang.IllegalStateException: no disk at all");
  }

  @Test
  void a_request_is_read_as_it_was_asked() {
    TableRequest follow = TableRequest.of(Verb.FOLLOW, "program", "t1", "8");
    assertThat(follow.text()).isEqualTo("FOLLOW program t1 8");
    assertThat(TableRequest.parse(follow.text())).isEqualTo(follow);
    assertThat(TableRequest.parse("COUNT")).isEqualTo(new TableRequest(Verb.COUNT, List.of()));
  }

  @Test
  void words_have_no_spaces() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TableRequest.of(Verb.FOLLOW, "two words"));
    assertThatIllegalArgumentException().isThrownBy(() -> TableRequest.of(Verb.FOLLOW, ""));
    assertThatIllegalArgumentException().isThrownBy(() -> TableRequest.parse("DROP t1"));
  }
}
