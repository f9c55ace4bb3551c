package io.tunnel.programs.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.torture.WitnessCore.Findings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WitnessCoreTest {

  private static final int DELETE = 11;

  private final WitnessCore witness = new WitnessCore(2);

  /** Key 0 up to a version, each acknowledged at the position of the same number. */
  private void acknowledged(int versions) {
    for (int i = 0; i < versions; i++) {
      int version = witness.invoke(0);
      witness.acknowledged(0, version, 1, version);
    }
  }

  private Findings judge(Integer... versions) {
    return witness.judge(Map.of(0, List.of(versions)));
  }

  @Test
  void what_was_acknowledged_and_is_delivered_in_order_is_clean() {
    acknowledged(3);
    assertThat(judge(1, 2, 3).isClean()).isTrue();
    assertThat(WitnessCore.isDelete(DELETE)).isTrue();
  }

  @Test
  void what_was_acknowledged_and_is_not_delivered_is_lost() {
    acknowledged(3);
    assertThat(judge(1, 3).lost()).isEqualTo(1);
    assertThat(judge().lost()).isEqualTo(3);
    assertThat(witness.judge(Map.of()).examples())
        .contains("key 0: version 1 was acknowledged and is not delivered");
  }

  @Test
  void order_and_what_comes_twice_are_seen() {
    acknowledged(3);
    assertThat(judge(2, 1, 3).orderViolations()).isEqualTo(1);
    assertThat(judge(1, 2, 2, 3).duplicates()).isEqualTo(1);
  }

  @Test
  void what_is_in_doubt_may_come_or_not_and_what_was_refused_may_not() {
    acknowledged(1);
    witness.inDoubt(0, witness.invoke(0));
    int refused = witness.invoke(0);
    witness.refused(0, refused);
    assertThat(judge(1).isClean()).isTrue();
    assertThat(judge(1, 2).isClean()).isTrue();
    assertThat(judge(1, refused).phantoms()).isEqualTo(1);
    assertThat(judge(1, 9).phantoms()).isEqualTo(1);
    assertThat(witness.doubts()).isEqualTo(1);
    assertThat(witness.refusals()).isEqualTo(1);
  }

  @Test
  void what_was_acknowledged_behind_a_power_cut_is_in_doubt_and_before_it_is_not() {
    acknowledged(2);
    int mark = witness.mark();
    acknowledged(2);
    witness.doubtSince(mark);
    assertThat(judge(1, 2).isClean()).isTrue();
    assertThat(judge(1, 2, 3, 4).isClean()).isTrue();
    assertThat(judge(1).lost()).isEqualTo(1);
    assertThat(witness.mark()).isEqualTo(mark);
  }

  @Test
  void a_delete_is_known_by_its_position_until_a_power_cut_makes_it_doubtful() {
    acknowledged(DELETE - 1);
    int mark = witness.mark();
    acknowledged(1);
    assertThat(witness.deleteAt(1, DELETE)).isEqualTo(DELETE);
    List<Integer> before = new ArrayList<>();
    for (int version = 1; version < DELETE; version++) {
      before.add(version);
    }
    List<Integer> withUnknown = new ArrayList<>(before);
    withUnknown.add(WitnessCore.UNKNOWN_DELETE);
    assertThat(witness.judge(Map.of(0, withUnknown)).lost()).isEqualTo(1);
    assertThat(witness.judge(Map.of(0, withUnknown)).phantoms()).isEqualTo(1);
    witness.doubtSince(mark);
    assertThat(witness.deleteAt(1, DELETE)).isEqualTo(WitnessCore.UNKNOWN_DELETE);
    assertThat(witness.judge(Map.of(0, withUnknown)).isClean()).isTrue();
    assertThat(witness.judge(Map.of(0, before)).isClean()).isTrue();
  }

  @Test
  void a_row_that_is_older_than_what_was_acknowledged_is_outdated() {
    acknowledged(3);
    assertThat(witness.outdated(Map.of(0, 3))).isEmpty();
    assertThat(witness.outdated(Map.of(0, 2))).hasSize(1);
    assertThat(witness.outdated(Map.of())).hasSize(1);
    acknowledged(DELETE - 3);
    assertThat(witness.outdated(Map.of())).isEmpty();
  }
}
