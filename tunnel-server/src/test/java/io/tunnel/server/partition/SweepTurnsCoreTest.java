package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.server.partition.ExpirySweep.Swept;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SweepTurnsCoreTest {

  private final SweepTurnsCore core = new SweepTurnsCore();

  private static Swept swept(int table, int partition) {
    return new Swept(table, partition, Durability.OS);
  }

  private List<Integer> partitions(int count) {
    List<Integer> partitions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      partitions.add(core.next().orElseThrow().partition());
    }
    return partitions;
  }

  @Test
  void a_table_of_many_partitions_has_no_more_turns_than_a_table_of_one() {
    List<Swept> all =
        Stream.concat(
                IntStream.range(10, 14).mapToObj(partition -> swept(1, partition)),
                Stream.of(swept(2, 20)))
            .toList();
    core.begin(all);
    assertThat(partitions(8)).containsExactly(10, 20, 11, 20, 12, 20, 13, 20);
  }

  @Test
  void a_tick_goes_on_where_the_one_before_ended() {
    List<Swept> all = List.of(swept(1, 1), swept(2, 2), swept(3, 3));
    core.begin(all);
    assertThat(partitions(2)).containsExactly(1, 2);
    core.begin(all);
    assertThat(partitions(2)).containsExactly(3, 1);
    core.begin(all);
    assertThat(partitions(2)).containsExactly(2, 3);
  }

  @Test
  void what_is_done_has_no_turn_before_the_next_tick() {
    List<Swept> all = List.of(swept(1, 1), swept(2, 2));
    core.begin(all);
    core.done(swept(1, 1));
    assertThat(partitions(3)).containsExactly(2, 2, 2);
    core.done(swept(2, 2));
    assertThat(core.next()).isEmpty();
    core.begin(all);
    assertThat(partitions(1)).containsExactly(1);
    core.end();
    assertThat(core.next()).isEmpty();
  }
}
