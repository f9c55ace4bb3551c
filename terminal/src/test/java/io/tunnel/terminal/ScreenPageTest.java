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

  @Test
  void a_page_after_a_resize_begins_on_an_empty_screen() {
    TerminalSize[] size = {new TerminalSize(5, 24)};
    Screen screen = new Screen(new PrintWriter(shown), true, () -> size[0]);
    int lines = screen.page(List.of("1234567"), 0);
    size[0] = new TerminalSize(6, 24);
    assertThat(screen.columns()).isEqualTo(6);
    lines = screen.page(List.of("1234567"), lines);
    screen.page(List.of("1"), lines);
    assertThat(shown.toString())
        .isEqualTo(
            "12345\u001b[K\n\u001b[J"
                + "\u001b[H\u001b[2J123456\u001b[K\n\u001b[J"
                + "\u001b[1A1\u001b[K\n\u001b[J");
  }

  @Test
  void a_page_that_would_scroll_keeps_its_beginning_and_its_last_line() {
    Screen screen = new Screen(new PrintWriter(shown), true, () -> new TerminalSize(80, 6));
    assertThat(screen.page(List.of("1", "2", "3", "4", "5"), 0)).isEqualTo(5);
    assertThat(shown.toString()).doesNotContain("more");
    assertThat(screen.page(List.of("1", "2", "3", "4", "5", "6"), 5)).isEqualTo(5);
    assertThat(shown.toString().replace("\u001b[K", ""))
        .endsWith("1\n2\n3\n… 2 more lines, for a higher terminal\n6\n\u001b[J");
  }
}
