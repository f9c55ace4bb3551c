package io.tunnel.server.net.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RotationCoreTest {

  private static RotationCore core(int filesMax, long bytes, Long... kept) {
    return new RotationCore(100, filesMax, bytes, List.of(kept));
  }

  @Test
  void a_file_takes_as_many_bytes_as_it_may_and_not_one_more() {
    RotationCore core = core(3, 60);
    assertThat(core.mustRotate(40)).isFalse();
    assertThat(core.mustRotate(41)).isTrue();
    assertThat(core.room()).isEqualTo(40);
    core.appended(40);
    assertThat(core.mustRotate(1)).isTrue();
    assertThat(core.room()).isZero();
  }

  @Test
  void what_is_larger_than_a_file_is_the_only_one_in_it() {
    RotationCore core = core(3, 0);
    assertThat(core.mustRotate(101)).isFalse();
    core.appended(101);
    assertThat(core.mustRotate(1)).isTrue();
    assertThat(core.room()).isZero();
  }

  @Test
  void numbers_go_on_behind_the_newest_whatever_is_missing() {
    RotationCore core = core(9, 100, 7L, 3L);
    assertThat(core.nextNumber()).isEqualTo(8);
    core.rotated();
    assertThat(core.nextNumber()).isEqualTo(9);
    assertThat(core.mustRotate(100)).isFalse();
  }

  @Test
  void the_oldest_go_until_there_are_as_many_as_may_be() {
    RotationCore core = core(3, 100, 1L, 2L);
    assertThat(core.hasTooMany()).isFalse();
    core.rotated();
    assertThat(core.hasTooMany()).isTrue();
    assertThat(core.oldest()).isEqualTo(1);
    core.deleted();
    assertThat(core.hasTooMany()).isFalse();
  }

  @Test
  void of_one_file_nothing_is_kept_behind_it() {
    RotationCore core = core(1, 100);
    core.rotated();
    assertThat(core.hasTooMany()).isTrue();
    core.deleted();
    assertThat(core.hasTooMany()).isFalse();
  }
}
