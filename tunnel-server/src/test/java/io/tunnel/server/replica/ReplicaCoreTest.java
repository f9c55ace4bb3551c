package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.ReplicaSimulation.Happening;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplicaCoreTest {

  @Test
  void every_copy_comes_to_the_same_answer_whatever_happens_to_the_log() {
    int seeds = Integer.getInteger("replica.seeds", 1000);
    long first = Long.getLong("replica.seed", 1);
    Map<Happening, Integer> all = new EnumMap<>(Happening.class);
    for (long seed = first; seed < first + seeds; seed++) {
      try {
        new ReplicaSimulation(seed)
            .run(100 + (int) (seed % 5) * 200)
            .forEach((happening, count) -> all.merge(happening, count, Integer::sum));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    if (seeds > 1) {
      assertThat(all).containsOnlyKeys(Happening.values());
    }
  }
}
