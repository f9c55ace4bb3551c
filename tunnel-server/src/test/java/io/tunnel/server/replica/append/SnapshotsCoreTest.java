package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SnapshotsCoreTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void each_step_is_made_once_and_a_stale_result_changes_nothing(long seed) {
    int trims = 0;
    int taken = 0;
    int deleted = 0;
    for (int world = 0; world < 20; world++) {
      SnapshotsWorld one = new SnapshotsWorld(new Random(seed * 1_000 + world));
      try {
        for (int i = 0; i < 3_000; i++) {
          one.step();
        }
        one.settle();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ", world " + world, e);
      }
      trims += one.trims();
      taken += one.taken();
      deleted += one.deleted();
    }
    assertThat(taken).isGreaterThan(200);
    assertThat(trims).isGreaterThan(50);
    assertThat(deleted).isGreaterThan(50);
  }
}
