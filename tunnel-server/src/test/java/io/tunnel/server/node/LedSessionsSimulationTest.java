package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.node.LedSessionsWorld.World;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs contend for locks in a cluster whose nodes follow one log of the catalog, each at a pace
 * of its own. The leads of the catalog and of the partitions move, and a former leader learns of
 * that late.
 */
final class LedSessionsSimulationTest {

  private static final int WORLDS = 100;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void no_lock_has_two_owners_and_all_rows_of_dead_programs_go(long block) {
    int locks = 0;
    int ends = 0;
    int refusals = 0;
    int failedLeads = 0;
    for (long seed = block * WORLDS; seed < (block + 1) * WORLDS; seed++) {
      World world = new World(seed);
      world.run();
      locks += world.locks;
      ends += world.deletes;
      refusals += world.refusals;
      failedLeads += world.failedLeads;
    }
    assertThat(locks).as("locks that were taken").isGreaterThan(3 * WORLDS);
    assertThat(ends).as("locks that were freed by the end of a session").isGreaterThan(3 * WORLDS);
    assertThat(refusals).as("answers that a former leader kept back").isGreaterThan(WORLDS);
    assertThat(failedLeads).as("leads that did not begin").isGreaterThan(WORLDS / 5);
  }
}
