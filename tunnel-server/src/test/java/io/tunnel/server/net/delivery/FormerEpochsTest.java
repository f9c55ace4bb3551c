package io.tunnel.server.net.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FormerEpochsTest {

  private final FormerEpochs epochs = new FormerEpochs();

  @Test
  void soManyEpochsAreRememberedAndTheFirstOnesAreForgottenFirst() {
    for (int i = 0; i < FormerEpochs.EPOCHS_MAX; i++) {
      epochs.left("c" + i, 7, i + 1, true);
    }
    assertThat(epochs.of("c0", true)).isEqualTo(1);
    epochs.left("c0", 7, 100_000, true);
    epochs.left("one more", 7, 5, true);
    assertThat(epochs.of("c0", true)).as("left again since").isEqualTo(100_000);
    assertThat(epochs.of("c1", true)).as("forgotten").isZero();
    assertThat(epochs.of("c2", true)).isEqualTo(3);
    assertThat(epochs.of("one more", true)).isEqualTo(5);
  }

  @Test
  void whatIsDeliveredElsewhereIsForgotten() {
    epochs.left("a", 1, 5, true);
    epochs.left("b", 2, 6, true);
    epochs.left("c", 1, 7, true);
    epochs.forget(1);
    assertThat(epochs.of("a", true)).isZero();
    assertThat(epochs.of("b", true)).isEqualTo(6);
    assertThat(epochs.of("c", true)).isZero();
    epochs.came("b", true);
    assertThat(epochs.of("b", true)).isZero();
  }

  @Test
  void whatSomebodyWithoutAGrantHasSaidCountsForOthersWithoutOneOnly() {
    epochs.left("a", 1, 1_000, false);
    assertThat(epochs.of("a", false)).isEqualTo(1_000);
    assertThat(epochs.of("a", true)).isZero();
    epochs.left("b", 1, 5, true);
    epochs.came("b", false);
    epochs.left("b", 1, 1_000, false);
    assertThat(epochs.of("b", true)).isEqualTo(5);
    assertThat(epochs.of("b", false)).isEqualTo(5);
  }
}
