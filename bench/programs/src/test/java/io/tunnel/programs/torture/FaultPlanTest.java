package io.tunnel.programs.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

  private static List<FaultPlan.Round> rounds(long seed, EnumSet<Fault> kinds, int count) {
    FaultPlan plan = new FaultPlan(seed, kinds);
    List<FaultPlan.Round> rounds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rounds.add(plan.next());
    }
    return rounds;
  }

  @Test
  void a_seed_gives_the_same_faults_each_time_and_another_seed_gives_others() {
    EnumSet<Fault> all = EnumSet.allOf(Fault.class);
    assertThat(rounds(7, all, 50)).isEqualTo(rounds(7, all, 50)).isNotEqualTo(rounds(8, all, 50));
  }

  @Test
  void each_kind_comes_once_before_one_comes_again_and_no_other_comes() {
    EnumSet<Fault> kinds = EnumSet.of(Fault.KILL, Fault.POWER, Fault.SUSPEND);
    List<FaultPlan.Round> rounds = rounds(3, kinds, 30);
    for (int i = 0; i < rounds.size(); i += kinds.size()) {
      HashSet<Fault> some = new HashSet<>();
      rounds.subList(i, i + kinds.size()).forEach(round -> some.add(round.fault()));
      assertThat(some).isEqualTo(kinds);
    }
    assertThat(rounds).anyMatch(round -> round.interruptedMs() >= 0);
    assertThat(rounds)
        .filteredOn(round -> round.fault() == Fault.SUSPEND)
        .allMatch(round -> round.interruptedMs() < 0);
  }
}
