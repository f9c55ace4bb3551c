package io.tunnel.server.net.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RotationCoreTest {

  private static RotationCore core(int filesMax, long bytes, Long... kept) {
    return new RotationCore(100, filesMax, bytes, List.of(kept));
  }

  @Test
  void aFileTakesAsManyBytesAsItMayAndNotOneMore() {
    RotationCore core = core(3, 60);
    assertThat(core.mustRotate(40)).isFalse();
    assertThat(core.mustRotate(41)).isTrue();
    assertThat(core.room()).isEqualTo(40);
    core.appended(40);
    assertThat(core.mustRotate(1)).isTrue();
    assertThat(core.room()).isZero();
  }

  @Test
  void whatIsLargerThanAFileIsTheOnlyOneInIt() {
    RotationCore core = core(3, 0);
    assertThat(core.mustRotate(101)).isFalse();
    core.appended(101);
    assertThat(core.mustRotate(1)).isTrue();
    assertThat(core.room()).isZero();
  }

  @Test
  void numbersGoOnBehindTheNewestWhateverIsMissing() {
    RotationCore core = core(9, 100, 7L, 3L);
    assertThat(core.nextNumber()).isEqualTo(8);
    core.rotated();
    assertThat(core.nextNumber()).isEqualTo(9);
    assertThat(core.mustRotate(100)).isFalse();
  }

  @Test
  void theOldestGoUntilThereAreAsManyAsMayBe() {
    RotationCore core = core(3, 100, 1L, 2L);
    assertThat(core.hasTooMany()).isFalse();
    core.rotated();
    assertThat(core.hasTooMany()).isTrue();
    assertThat(core.oldest()).isEqualTo(1);
    core.deleted();
    assertThat(core.hasTooMany()).isFalse();
  }

  @Test
  void ofOneFileNothingIsKeptBehindIt() {
    RotationCore core = core(1, 100);
    core.rotated();
    assertThat(core.hasTooMany()).isTrue();
    core.deleted();
    assertThat(core.hasTooMany()).isFalse();
  }
}
