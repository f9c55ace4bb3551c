package io.tunnel.condition;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes as a condition: the one spelling of a condition that judges rows, or refused. */
@Tag("proof-fuzz")
class ConditionBytesFuzzTest {

  private static final ConditionPlace PLACE =
      ConditionPlace.ofChanges(List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));

  private static final ChangeBatch ROWS = rows();

  private static ChangeBatch rows() {
    BatchBuilder builder = new BatchBuilder(PLACE.key(), 256);
    builder.add(
        new RowPutChange(
            PrimaryKey.builder().add("id", "a\0b").build(),
            List.of(
                new Column("a", ColumnValue.fromLong(7)),
                new Column("b", ColumnValue.fromDouble(0.5)),
                new Column("c", ColumnValue.fromString("text")))));
    byte[] bytes = builder.build(1, 1, 1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  static Stream<Arguments> conditions() {
    return Stream.of(
            "a = 7 and (b < 1.5 or not exists c) and id starts with \"a\"",
            "change is put or before.a >= change.a or c != x\"00ff\" or d = true")
        .map(text -> Arguments.of((Object) Condition.parse(text).encode().toByteArray()));
  }

  @MethodSource("conditions")
  @FuzzTest(maxDuration = "")
  void bytes_are_the_spelling_of_a_condition_or_are_refused(byte[] input) {
    Bytes encoded = Bytes.copyOf(input);
    Condition condition;
    try {
      condition = Condition.decode(encoded);
    } catch (MalformedException e) {
      return;
    }
    assertThat(condition.encode()).isEqualTo(encoded);
    assertThat(Condition.parse(condition.text())).isEqualTo(condition);
    Judge judge;
    try {
      judge = new Judge(condition, PLACE);
    } catch (IllegalArgumentException neverHolds) {
      return;
    }
    RowCursor row = ROWS.rows();
    assertThat(row.next()).isTrue();
    boolean holds = judge.holdsOf(row);
    Condition not;
    try {
      not = condition.negate();
    } catch (IllegalArgumentException atTheLimit) {
      return;
    }
    assertThat(new Judge(not, PLACE).holdsOf(row)).isNotEqualTo(holds);
  }
}
