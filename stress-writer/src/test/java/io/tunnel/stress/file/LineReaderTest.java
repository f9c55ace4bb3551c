package io.tunnel.stress.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.stress.rows.BadLineException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineReaderTest {

  /** Gives at most {@code step} bytes a read, so that lines are split at every point. */
  private static InputStream inSteps(String text, int step) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
      @Override
      public synchronized int read(byte[] target, int offset, int length) {
        return super.read(target, offset, Math.min(length, step));
      }
    };
  }

  @Test
  void lines_are_the_same_however_the_file_is_cut() {
    String text = "\uFEFFone\r\ntwo\r\rfünf €\nlast";
    for (int step = 1; step <= text.length(); step++) {
      LineReader reader = new LineReader(inSteps(text, step), 100);
      List<String> lines = new ArrayList<>();
      for (String line = reader.next(); line != null; line = reader.next()) {
        lines.add(line);
      }
      assertThat(lines).containsExactly("one", "two", "", "fünf €", "last");
      assertThat(reader.number()).isEqualTo(5);
    }
  }

  @Test
  void a_line_of_the_limit_is_read_and_one_over_it_is_left_out() {
    for (int step : new int[] {1, 3, 100}) {
      LineReader reader = new LineReader(inSteps("12345\n123456\nnext\n", step), 5);
      assertThat(reader.next()).isEqualTo("12345");
      assertThatThrownBy(reader::next)
          .isInstanceOf(BadLineException.class)
          .hasMessage("line 2: over 5 bytes, the most that a line may have");
      assertThat(reader.next()).isEqualTo("next");
      assertThat(reader.next()).isNull();
    }
  }
}
