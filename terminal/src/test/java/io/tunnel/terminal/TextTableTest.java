package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void text_is_aligned_to_the_left_and_numbers_to_the_right() {
    TextTable table = new TextTable("TABLE", ">ROWS", "NOTE");
    table.row("a", "1,000", "x").row("longer", "7", "");

    assertThat(table.lines())
        .containsExactly(
            "TABLE    ROWS  NOTE", //
            "a       1,000  x",
            "longer      7");
  }

  @Test
  void characters_outside_the_basic_plane_count_once() {
    TextTable table = new TextTable("A", "B");
    table.row("\ud83d\ude00", "x").row("ab", "y");

    assertThat(table.lines()).containsExactly("A   B", "\ud83d\ude00   x", "ab  y");
  }

  @Test
  void a_cell_cannot_break_its_line_or_drive_the_terminal() {
    TextTable table = new TextTable("A").row("x\ny\u001b[31mz\u202e");

    assertThat(table.lines()).containsExactly("A", "x\\ny\\u001b[31mz\\u202e");
  }

  @Test
  void a_row_of_the_wrong_length_is_refused() {
    TextTable table = new TextTable("A", "B");
    assertThatThrownBy(() -> table.row("only one"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a row of 1 cells in a table of 2 columns");
  }

  @Test
  void ordinary_text_is_left_as_it_is() {
    assertThat(Printable.of("héllo 行 \ud83d\ude00 \\n")).isEqualTo("héllo 行 \ud83d\ude00 \\n");
    assertThat(Printable.of("\ud83d lone")).isEqualTo("\\ud83d lone");
  }

  @Test
  void columns_give_way_in_their_order_until_the_rest_fits() {
    TextTable table = new TextTable("NAME", "TYPE", ">LAG").row("n1", "Stream", "1,000");
    List<String> order = List.of("TYPE", "NAME");
    assertThat(table.lines(19, order)).isEqualTo(table.lines());
    assertThat(table.lines(18, order)).containsExactly("NAME    LAG", "n1    1,000");
    assertThat(table.lines(10, order)).containsExactly("  LAG", "1,000");
    assertThat(table.lines(1, order)).containsExactly("  LAG", "1,000");
  }
}
