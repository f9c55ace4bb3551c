package io.tunnel.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionParserTest {

  private static final String PUT_IN = "()\"'`\\.=!<x7-ent\ud800\0 ";

  private static final ConditionPlace ROWS =
      ConditionPlace.ofRows(List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "version=7 AND state!='done'|version = 7 and state != \"done\"",
        "(a = 1 and b = 2) and (c = 3)|a = 1 and b = 2 and c = 3",
        "a = 1 or b = 2 and c = 3|a = 1 or b = 2 and c = 3",
        "(a = 1 or b = 2) and c = 3|(a = 1 or b = 2) and c = 3",
        "not a = 1 and b = 2|not a = 1 and b = 2",
        "not (a = 1 and b = 2)|not (a = 1 and b = 2)",
        "NOT NOT Exists a|not not exists a",
        "a Starts With x'00FF'|a starts with x\"00ff\"",
        "a >= -9223372036854775808|a >= -9223372036854775808",
        "a < 1e3|a < 1000.0",
        "a < -0.0|a < -0.0",
        "a <= -Infinity|a <= -infinity",
        "a > INFINITY|a > infinity",
        "a = TRUE|a = true",
        "before.a != a|before.a != a",
        "Change.`b c` = before . d|change.`b c` = before.d",
        "change is DELETE or change is put|change is delete or change is put",
        "`change` = 1|`change` = 1",
        "`plain` = `And`|plain = `And`",
        "`a\\`b\\\\` = 'it\\'s \"x\"'|`a\\`b\\\\` = \"it's \\\"x\\\"\"",
        "a = '\\u{1F600}\\n\\u{202e}'|a = \"😀\\n\\u{202e}\"",
      })
  void a_text_has_one_canonical_form(String text, String canonical) {
    Condition condition = Condition.parse(text);
    assertThat(condition.text()).isEqualTo(canonical);
    assertThat(condition).hasToString(canonical);
    assertThat(Condition.parse(canonical)).isEqualTo(condition);
  }

  @Test
  void a_condition_is_put_together_as_its_text_says() {
    assertThat(
            Condition.column("version")
                .isEqualTo(7)
                .and(Condition.column("state").isNotEqualTo("done"))
                .and(Condition.column("note").exists().negate())
                .or(Condition.changeIs(ChangeKind.DELETE))
                .or(Condition.before("price").isLessThan(ColumnValue.fromDouble(1.5))))
        .isEqualTo(
            Condition.parse(
                "version = 7 and state != \"done\" and not exists note or change is delete"
                    + " or before.price < 1.5"));
    assertThat(
            Condition.all(
                List.of(
                    Condition.column("a").isAtMost(1),
                    Condition.column("a").isAtLeast(0),
                    Condition.column("b").isGreaterThan(2),
                    Condition.column("c").startsWith("x"),
                    Condition.column("d").isEqualTo(true),
                    Condition.change("e").isNotEqualTo(Condition.before("e")))))
        .hasToString(
            "a <= 1 and a >= 0 and b > 2 and c starts with \"x\" and d = true"
                + " and change.e != before.e");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "|1|a condition is empty; write one such as version = 7",
        "a = = 7|5|'=' stands where a value such as 7, 1.5, \"text\"",
        "a == 7|3|'==' stands where =, !=, <, <=, >, >= or starts with should be; write =",
        "a <> 7|3|write !=",
        "a like 'x%'|3|write name starts with \"abc\"",
        "a in (1, 2)|3|write a = 1 or a = 2",
        "a is null|3|write exists a, or not exists a",
        "a = null|5|no column is null; write 'exists x' or 'not exists x'",
        "a = nan|5|nothing equals NaN; a column x is NaN where: exists x and x != x",
        "7 = a|1|'7' stands where a column, 'exists', 'not' or '(' should be; a comparison begins",
        "a = 1 && b = 2|7|'&&' stands where 'and', 'or' or the end should be; write and",
        "a = 1 b = 2|7|'b' stands where 'and', 'or' or the end should be",
        "!a = 1|1|write 'not'",
        "a = 007|5|'007' is no number: write digits without leading zeros",
        "a = 7x|5|'7x' is no number",
        "a = 1.|5|'1.' is no number",
        "a = 9223372036854775808|5|does not fit into 64 bits; as a DOUBLE write it with a point",
        "a = 1e400|5|'1e400' is too large for a DOUBLE",
        "a = 1e-400|5|'1e-400' is too near to 0 for a DOUBLE",
        "a = \"done|5|a STRING is not closed; it begins here, and ends with \"",
        "`a = 1|1|a name is not closed",
        "a = x\"0\"|5|'x\"0\"' is no BINARY: two hexadecimal digits a byte",
        "a = x\"00|5|a BINARY is not closed",
        "a = 'b\\q'|7|an escape that there is not",
        "a = '\\u{d800}'|6|0 to 10ffff, no surrogate",
        "(a = 1|7|the end of the text stands where 'and', 'or' or ')' should be",
        "a = 1)|6|')' closes what no '(' has opened",
        "exists|7|the end of the text stands where a column should be",
        "and = 1|1|'and' stands where a column, 'exists', 'not' or '(' should be; a column that is"
            + " called so is written in backticks",
        "größe = 1|3|'ö' stands where =, !=",
        "größe = 1|3|a name with other letters than A to Z is written in backticks",
        "a = größe|7|a name with other letters than A to Z is written in backticks",
        "öre = 1|1|a name with other letters than A to Z is written in backticks",
        "a.b = 1|2|write a name with a point in backticks: `a.b`",
        "a-b = 1|2|write a name with a hyphen in backticks: `a-b`",
        "before = 1|8|'=' stands after 'before', where a point and a column should be; a column"
            + " that is called so is written in backticks: `before`",
        "change is new|11|'new' stands where put, update or delete should be",
        "a starts 'x'|10|''x'' stands where 'with' of 'starts with' should be",
        "a starts with 7|15|'starts with' wants a STRING such as \"abc\" or a BINARY",
        "`` = 1|1|a column name must not be empty",
        "😀 = 1 or x|1|'😀' stands where a column",
        "`😀` = 1 or x|13|the end of the text stands where =, !=",
        "b = 1 and before.x = 1|11|'before.x' is of a change, and here are rows without changes;"
            + " write 'x' for the column of the row",
        "b = 1 and change is put|11|'change is put' is of a change",
        "b = 1 and id = '7'|11|the INTEGER id of the key with the STRING \"7\", which never compare",
      })
  void what_is_no_condition_is_refused_with_the_place_and_what_would_be_right(
      String text, int character, String message) {
    String whole = text == null ? "" : text;
    ConditionException refused =
        catchThrowableOfType(ConditionException.class, () -> Condition.parse(whole, ROWS));
    assertThat(refused).as(whole).isNotNull();
    assertThat(refused.getMessage())
        .startsWith("at character " + character + ": ")
        .contains(message)
        .isEqualTo("at character " + character + ": " + refused.trouble());
    assertThat(whole.codePointCount(0, refused.offset())).isEqualTo(character - 1);
    assertThat(refused.excerpt().get(1)).isEqualTo(" ".repeat(character - 1) + "^");
  }

  @Test
  void an_excerpt_is_the_line_of_the_place_or_what_fits_of_it() {
    ConditionException second =
        catchThrowableOfType(
            ConditionException.class, () -> Condition.parse("a = 1\n  and\tb = \u202e ="));
    assertThat(second.excerpt()).containsExactly("  and b = ? =", "          ^");
    String begin = "a = \"" + "😀".repeat(100) + "\" ";
    ConditionException far =
        catchThrowableOfType(
            ConditionException.class, () -> Condition.parse(begin + "! " + "y".repeat(300)));
    assertThat(far.excerpt().get(0)).startsWith("…😀").endsWith("y…").contains("\" ! y");
    String shown = far.excerpt().get(0);
    int caret = far.excerpt().get(1).indexOf('^');
    assertThat(shown.codePointAt(shown.offsetByCodePoints(0, caret))).isEqualTo('!');
  }

  @Test
  void half_a_character_is_refused_where_it_stands() {
    assertThatThrownBy(() -> Condition.parse("a = '\ud800'"))
        .hasMessage("at character 6: half a character, which UTF-8 cannot encode");
    assertThatThrownBy(() -> Condition.column("\udc00")).hasMessageContaining("unpaired surrogate");
    assertThatThrownBy(() -> Condition.column("a").isEqualTo("\udc00"))
        .hasMessageContaining("unpaired surrogate");
    assertThatThrownBy(() -> Condition.column("a").isEqualTo(ColumnValue.fromDouble(Double.NaN)))
        .hasMessageContaining("exists x and x != x");
  }

  /**
   * Whatever is cut off, put in or left out: a condition, or a refusal with a place in the text.
   */
  @Test
  void damaged_texts_are_refused_and_nothing_else_happens() {
    int refused = 0;
    SplittableRandom random = new SplittableRandom(5);
    for (int seed = 0; seed < 4_000; seed++) {
      RandomConditions conditions = new RandomConditions(seed, List.of("id"), true);
      StringBuilder text = new StringBuilder(conditions.condition().text());
      for (int i = 1 + random.nextInt(3); i > 0 && !text.isEmpty(); i--) {
        int at = random.nextInt(text.length());
        switch (random.nextInt(3)) {
          case 0 -> text.deleteCharAt(at);
          case 1 -> text.insert(at, PUT_IN.charAt(random.nextInt(PUT_IN.length())));
          default -> text.setLength(at);
        }
      }
      try {
        Condition condition = Condition.parse(text.toString());
        assertThat(Condition.parse(condition.text())).isEqualTo(condition);
      } catch (ConditionException e) {
        refused++;
        assertThat(e.offset()).isBetween(0, text.length());
        assertThat(e.excerpt()).hasSize(2);
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }
}
