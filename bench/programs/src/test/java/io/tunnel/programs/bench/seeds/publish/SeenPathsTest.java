package io.tunnel.programs.bench.seeds.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeenPathsTest {

  private static SeenPaths seen(int... paths) {
    SeenPaths seen = new SeenPaths(4);
    for (int path : paths) {
      var unused = seen.came(path);
    }
    return seen;
  }

  @Test
  void each_path_once_and_in_order_is_right() {
    SeenPaths seen = seen(0, 1, 2, 3);
    assertThat(seen.missing()).isZero();
    assertThat(seen.wrong()).isZero();
  }

  @Test
  void a_path_that_does_not_come_is_missing() {
    assertThat(seen(0, 1, 3).missing()).isEqualTo(1);
    assertThat(seen(0, 1, 3).wrong()).isZero();
    assertThat(seen().missing()).isEqualTo(4);
  }

  @Test
  void a_path_that_comes_again_is_wrong_and_counts_once() {
    SeenPaths seen = seen(0, 1, 1, 2, 3, 0);
    assertThat(seen.wrong()).isEqualTo(2);
    assertThat(seen.missing()).isZero();
    assertThat(seen.came(2)).isFalse();
  }

  @Test
  void a_path_behind_a_later_one_is_wrong() {
    assertThat(seen(0, 2, 1, 3).wrong()).isEqualTo(1);
  }

  @Test
  void a_path_that_nobody_created_is_wrong() {
    assertThat(seen(0, 1, 2, 3, 4, -1).wrong()).isEqualTo(2);
  }
}
