package io.tunnel.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatCoreTest {

  private final RepeatCore core = new RepeatCore();

  @Test
  void nothing_is_repeated_while_all_is_applied() {
    core.applied(Model.put(1, "c", 1));
    assertThat(core.isEmpty()).isTrue();
    assertThat(core.take()).isEmpty();
  }

  @Test
  void what_came_behind_an_uncertain_change_of_its_key_is_repeated_behind_it() {
    RowChange put = Model.put(1, "c", 1);
    RowChange update = updateOf(1);
    core.uncertain(put);
    core.applied(update);
    core.applied(Model.put(2, "c", 1));
    assertThat(core.take()).containsExactly(put, update);
    assertThat(core.isEmpty()).isTrue();
  }

  private static RowChange updateOf(long id) {
    return new RowUpdateChange(Model.key(id), List.of(new ColumnUpdate.Delete("d")));
  }

  @Test
  void a_put_makes_what_was_uncertain_before_it_irrelevant_and_is_repeated_itself() {
    RowChange last = Model.put(1, "c", 2);
    core.uncertain(Model.put(1, "c", 1));
    core.uncertain(updateOf(1));
    core.applied(last);
    assertThat(core.take()).containsExactly(last);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatever_was_applied_the_repetition_makes_the_table_what_it_should_be(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<RowChange> history = Model.history(random, 30, 3);
      Model stored = new Model();
      for (RowChange change : history) {
        boolean isApplied = random.nextInt(4) != 0;
        if (isApplied) {
          stored.apply(change);
        }
        if (isApplied && random.nextInt(5) != 0) {
          core.applied(change);
        } else {
          core.uncertain(change);
        }
      }
      stored.apply(core.take());
      assertThat(stored.rows()).as("seed %d, round %d", seed, round).isEqualTo(model(history));
    }
  }

  private static Object model(List<RowChange> history) {
    return new Model().apply(history).rows();
  }
}
