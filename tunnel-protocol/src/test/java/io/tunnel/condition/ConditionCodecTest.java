package io.tunnel.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.GoldenFile;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionCodecTest {

  private static Condition condition(int seed) {
    return new RandomConditions(seed, List.of("id"), true).condition();
  }

  @Test
  void text_and_bytes_of_every_tree_give_the_tree_again() {
    Set<Condition> seen = new HashSet<>();
    for (int seed = 0; seed < 2_000; seed++) {
      Condition condition = condition(seed);
      assertThat(Condition.parse(condition.text())).as("seed %d", seed).isEqualTo(condition);
      assertThat(Condition.decode(condition.encode())).as("seed %d", seed).isEqualTo(condition);
      seen.add(condition);
    }
    assertThat(seen).hasSizeGreaterThan(1_000);
  }

  @Test
  void the_bytes_are_those_that_were_written_down() {
    Condition condition =
        Condition.parse(
            "version = 7 and (state != \"done\" or price >= 1.5 or before.price > price)"
                + " and not exists `old name` and hash starts with x\"00ff\" and flag = true"
                + " and change is update");
    Bytes golden = Bytes.copyOf(GoldenFile.bytes("v1/condition.hex"));
    assertThat(condition.encode()).isEqualTo(golden);
    assertThat(Condition.decode(golden)).isEqualTo(condition);
  }

  @Test
  void cut_and_turned_bytes_are_refused_or_another_condition_with_these_very_bytes() {
    int refused = 0;
    int others = 0;
    for (int seed = 0; seed < 40; seed++) {
      byte[] bytes = condition(seed).encode().toByteArray();
      for (int end = 0; end < bytes.length; end++) {
        Bytes cut = Bytes.copyOf(bytes, 0, end);
        assertThatThrownBy(() -> Condition.decode(cut)).isInstanceOf(MalformedException.class);
      }
      for (int bit = 0; bit < 8 * bytes.length; bit++) {
        byte[] turned = bytes.clone();
        turned[bit / 8] ^= (byte) (1 << bit % 8);
        try {
          Bytes other = Bytes.copyOf(turned);
          assertThat(Condition.decode(other).encode()).isEqualTo(other);
          others++;
        } catch (MalformedException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(500);
    assertThat(others).isGreaterThan(500);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "02 01 00 01 61 05 00|a condition of form 2; known is form 1; a newer version has written",
        "01 01 00 01 61 07 00|a node of kind 7; known are kinds 1 to 6; a newer version has",
        "01 01 03 01 61 05 00|a column of 3; a newer version has written it",
        "01 01 00 01 61 04 08 00 03 01|the operator 8; a newer version has written it",
        "01 01 00 01 61 04 01 00 06 01|a value of type 6; a newer version has written it",
        "01 00 06 04|a change of kind 4; a newer version has written it",
        "01 01 00 01 61 05 00 00|1 bytes after a condition",
        "01 01 00 01 61 05 01|names column 1 and has 1",
        "01 02 00 01 61 00 01 62 05 00|is encoded in another way",
        "01 02 00 01 61 00 01 62 01 02 05 01 05 00|such as with columns in another order",
        "01 02 00 01 61 00 01 61 01 02 05 00 05 01|is encoded in another way",
        "01 01 00 01 61 04 01 00 03 02|is encoded in another way",
        "01 01 00 01 61 01 01 05 00|'and' joins two conditions or more, not 1",
        "01 01 00 01 61 01 02 05 00 01 02 05 00 05 00|'and' directly inside of 'and'",
        "01 01 00 01 61 04 01 00 02 7ff8000000000000|NaN is no value of a condition",
        "01 01 00 01 61 04 07 00 03 01|'starts with' wants a STRING",
        "01 01 00 01 61 04 01 00 04 01 ff|not UTF-8",
        "01 01 00 01 61 04 01 00 04 ff ff ff ff 07 61|takes 2147483647 bytes where 1 are left",
        "01 ff ff ff ff 07 00 01 61|in a condition takes 1 bytes where 0 are left",
        "01 00 01 ff ff ff ff 07|the kind of a node",
        "01 01 00 00 05 00|a column name must not be empty",
      })
  void what_is_not_the_one_spelling_of_a_condition_is_refused_by_name(String hex, String message) {
    assertThatThrownBy(() -> Condition.decode(Bytes.fromHex(hex.replace(" ", ""))))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(message);
  }

  private static Condition leaf() {
    return Condition.column("a").exists();
  }

  private static Condition nested(int depth) {
    Condition condition = leaf();
    for (int i = 1; i < depth; i++) {
      condition = condition.negate();
    }
    return condition;
  }

  @Test
  void a_condition_has_64_nodes_at_most() {
    Condition most = Condition.any(Collections.nCopies(63, leaf()));
    assertThat(Condition.decode(most.encode())).isEqualTo(most);
    assertThat(Condition.parse(most.text())).isEqualTo(most);
    assertThatThrownBy(() -> most.or(leaf()))
        .hasMessageContaining("a condition of 65 nodes")
        .hasMessageContaining("at most 64 are allowed");
    assertThatThrownBy(() -> Condition.parse(most.text() + " or exists b"))
        .isInstanceOf(ConditionException.class)
        .hasMessageContaining("at character 1: a condition of 65 nodes");
    byte[] bytes = most.encode().toByteArray();
    byte[] more = Arrays.copyOf(bytes, bytes.length + 2);
    more[6]++;
    more[more.length - 2] = 5;
    assertThatThrownBy(() -> Condition.decode(Bytes.copyOf(more)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("more than 64 nodes");
  }

  @Test
  void a_condition_is_16_deep_at_most() {
    Condition deepest = nested(16);
    assertThat(Condition.decode(deepest.encode())).isEqualTo(deepest);
    assertThat(Condition.parse(deepest.text())).isEqualTo(deepest);
    assertThatThrownBy(() -> nested(17)).hasMessageContaining("at most 16 are allowed");
    assertThatThrownBy(() -> Condition.parse("not " + deepest.text()))
        .isInstanceOf(ConditionException.class)
        .hasMessageContaining("16");
    List<Byte> bytes = new ArrayList<>();
    for (byte b : deepest.encode().toByteArray()) {
      bytes.add(b);
    }
    bytes.add(5, (byte) 3);
    byte[] deeper = new byte[bytes.size()];
    for (int i = 0; i < deeper.length; i++) {
      deeper[i] = bytes.get(i);
    }
    assertThatThrownBy(() -> Condition.decode(Bytes.copyOf(deeper)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("nested more than 16 deep");
  }

  @Test
  void nothing_recurses_without_a_bound() {
    assertThatThrownBy(() -> Condition.parse("(".repeat(16_000)))
        .isInstanceOf(ConditionException.class)
        .hasMessageContaining("at character 17: 'not' and '(' stand inside of each other");
    byte[] nots = new byte[16_000];
    Arrays.fill(nots, (byte) 3);
    nots[0] = 1;
    nots[1] = 0;
    assertThatThrownBy(() -> Condition.decode(Bytes.copyOf(nots)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("nested more than 16 deep");
  }

  @Test
  void text_and_bytes_have_16_kib_at_most() {
    // Two digits of text are one byte.
    int bytes = (Condition.TEXT_BYTES_MAX - "ab = x\"\"".length()) / 2;
    NamedColumn column = Condition.column("ab");
    Condition condition = column.isEqualTo(ColumnValue.fromBinary(new byte[bytes]));
    assertThat(condition.text()).hasSize(Condition.TEXT_BYTES_MAX);
    assertThat(Condition.parse(condition.text())).isEqualTo(condition);
    assertThatThrownBy(() -> column.isEqualTo(ColumnValue.fromBinary(new byte[bytes + 1])))
        .hasMessageContaining("a condition of 16386 bytes of text; at most 16384 are allowed");
    // Form, column, node and the length of the STRING take 12 bytes.
    String longest = "x".repeat(Condition.BYTES_MAX - 12);
    Condition most = column.isEqualTo(longest);
    assertThat(most.encode().length()).isEqualTo(Condition.BYTES_MAX);
    assertThat(Condition.decode(most.encode())).isEqualTo(most);
    assertThatThrownBy(() -> column.isEqualTo(longest + "x"))
        .hasMessageContaining("a condition of 16385 bytes, encoded; at most 16384 are allowed");
    // A control character takes one byte, and more as text.
    assertThatThrownBy(() -> Condition.column("a").isEqualTo("\1".repeat(5_000)))
        .hasMessageContaining("bytes of text");
    assertThatThrownBy(() -> Condition.parse(condition.text() + " "))
        .isInstanceOf(ConditionException.class)
        .hasMessageContaining("a condition of 16385 bytes");
    assertThatThrownBy(() -> Condition.decode(Bytes.copyOf(new byte[16_385])))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("a condition of 16385 bytes");
  }

  /** Each is far below the limits, and their names alone are above them together. */
  @Test
  void parts_that_are_small_are_no_condition_of_more_than_16_kib_together() {
    List<Condition> parts = new ArrayList<>();
    for (int i = 10; i < 70; i++) {
      parts.add(Condition.column("x".repeat(253) + i).exists());
    }
    Condition most = new Condition.All(parts);
    assertThat(most.text()).hasSize(60 * "exists ".length() + 60 * 255 + 59 * " and ".length());
    parts.add(Condition.column("x".repeat(253) + 70).exists());
    parts.add(Condition.column("x".repeat(253) + 71).exists());
    assertThatThrownBy(() -> new Condition.All(parts))
        .hasMessageContaining("a condition of 16549 bytes of text; at most 16384 are allowed");
  }
}
