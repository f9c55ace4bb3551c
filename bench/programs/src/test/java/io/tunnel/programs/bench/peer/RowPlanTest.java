package io.tunnel.programs.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowPlanTest {

  @ParameterizedTest
  @ValueSource(ints = {57, 64, 84, 85, 220, 4_096, 65_536})
  void a_row_has_the_bytes_that_were_asked_for(int bytes) {
    RowPlan plan = RowPlan.ofRowBytes(bytes);
    assertThat(plan.rowBytes()).isEqualTo(bytes);
    SourceRow row = new RowSource(0, plan).next();
    assertThat(row.user()).hasSize(plan.userChars());
    assertThat(row.payload()).hasSize(plan.payloadChars());
  }

  @ParameterizedTest
  @ValueSource(ints = {56, 0, -1, 65_537})
  void other_sizes_are_refused_with_those_there_are(int bytes) {
    assertThatThrownBy(() -> RowPlan.ofRowBytes(bytes))
        .hasMessage("a row has 57 to 65536 bytes, not " + bytes);
  }

  @Test
  void rows_over_a_number_of_keys_have_the_keys_of_rows_that_were_written_once() {
    RowSource once = new RowSource(0);
    SourceRow first = once.next();
    RowSource again = new RowSource(7, RowPlan.DEFAULT.overKeys(1));
    for (int i = 0; i < 3; i++) {
      SourceRow row = again.next();
      assertThat(row.sequence()).isZero();
      assertThat(row.user()).isEqualTo(first.user());
      assertThat(row.device()).isEqualTo(first.device());
      assertThat(row.hash()).isEqualTo(first.hash());
    }
    assertThat(again.next().payload()).isNotEqualTo(again.next().payload());
  }

  @Test
  void the_rows_of_a_source_that_starts_later_are_those_of_one_that_has_come_there() {
    RowSource from = new RowSource(0);
    SourceRow unused = from.next();
    SourceRow second = from.next();
    SourceRow direct = new RowSource(1).next();
    assertThat(direct.sequence()).isEqualTo(second.sequence());
    assertThat(direct.user()).isEqualTo(second.user());
    assertThat(direct.hash()).isEqualTo(second.hash());
  }
}
