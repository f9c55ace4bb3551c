package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FormerEpochsTest {

  private final FormerEpochs epochs = new FormerEpochs();

  @Test
  void soManyEpochsAreRememberedAndTheFirstOnesAreForgottenFirst() {
    for (int i = 0; i < FormerEpochs.EPOCHS_MAX; i++) {
      epochs.left("c" + i, 7, i + 1);
    }
    assertThat(epochs.of("c0")).isEqualTo(1);
    epochs.left("c0", 7, 100_000);
    epochs.left("one more", 7, 5);
    assertThat(epochs.of("c0")).as("left again since").isEqualTo(100_000);
    assertThat(epochs.of("c1")).as("forgotten").isZero();
    assertThat(epochs.of("c2")).isEqualTo(3);
    assertThat(epochs.of("one more")).isEqualTo(5);
  }

  @Test
  void whatIsDeliveredElsewhereIsForgotten() {
    epochs.left("a", 1, 5);
    epochs.left("b", 2, 6);
    epochs.left("c", 1, 7);
    epochs.forget(1);
    assertThat(epochs.of("a")).isZero();
    assertThat(epochs.of("b")).isEqualTo(6);
    assertThat(epochs.of("c")).isZero();
    epochs.forget("b");
    assertThat(epochs.of("b")).isZero();
  }
}
