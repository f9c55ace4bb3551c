package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenPageTest {

  private final StringWriter shown = new StringWriter();

  private Screen screen(boolean isTerminal) {
    return new Screen(new PrintWriter(shown), isTerminal, 5);
  }

  @Test
  void a_terminal_shows_each_page_in_the_place_of_the_last() {
    Screen screen = screen(true);
    int lines = screen.page(List.of("one", "two"), 0);
    assertThat(lines).isEqualTo(2);
    assertThat(screen.page(List.of("three"), lines)).isEqualTo(1);
    assertThat(shown.toString())
        .isEqualTo("one\u001b[K\ntwo\u001b[K\n\u001b[J\u001b[2Athree\u001b[K\n\u001b[J");
  }

  @Test
  void a_line_that_the_terminal_would_break_is_cut() {
    screen(true).page(List.of("1234567"), 0);
    assertThat(shown.toString()).isEqualTo("12345\u001b[K\n\u001b[J");
  }

  @Test
  void a_pipe_gets_one_page_after_the_other_and_no_controls() {
    Screen screen = screen(false);
    screen.page(List.of("1234567"), 0);
    screen.page(List.of("two"), 1);
    assertThat(shown.toString()).isEqualTo("1234567\n\ntwo\n");
  }
}
