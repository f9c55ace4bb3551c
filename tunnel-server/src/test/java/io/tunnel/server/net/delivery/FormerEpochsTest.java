package io.tunnel.server.net.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.delivery.FormerEpochs.Former;
import org.junit.jupiter.api.Test;

final class FormerEpochsTest {

  private final FormerEpochs epochs = new FormerEpochs();

  private long epoch(String channelId, boolean isGranted) {
    return epochs.of(channelId, isGranted).map(Former::epoch).orElse(0L);
  }

  @Test
  void so_many_epochs_are_remembered_and_the_first_ones_are_forgotten_first() {
    for (int i = 0; i < FormerEpochs.EPOCHS_MAX; i++) {
      epochs.left("c" + i, 7, i + 1, true);
    }
    assertThat(epoch("c0", true)).isEqualTo(1);
    epochs.left("c0", 7, 100_000, true);
    epochs.left("one more", 7, 5, true);
    assertThat(epoch("c0", true)).as("left again since").isEqualTo(100_000);
    assertThat(epoch("c1", true)).as("forgotten").isZero();
    assertThat(epoch("c2", true)).isEqualTo(3);
    assertThat(epoch("one more", true)).isEqualTo(5);
  }

  @Test
  void what_is_delivered_elsewhere_is_forgotten() {
    epochs.left("a", 1, 5, true);
    epochs.left("b", 2, 6, true);
    epochs.left("c", 1, 7, true);
    epochs.forget(1);
    assertThat(epoch("a", true)).isZero();
    assertThat(epoch("b", true)).isEqualTo(6);
    assertThat(epoch("c", true)).isZero();
    epochs.came("b", true);
    assertThat(epoch("b", true)).isZero();
  }

  @Test
  void what_somebody_without_a_grant_has_said_counts_for_others_without_one_only() {
    epochs.left("a", 1, 1_000, false);
    assertThat(epoch("a", false)).isEqualTo(1_000);
    assertThat(epoch("a", true)).isZero();
    epochs.left("b", 1, 5, true);
    epochs.came("b", false);
    epochs.left("b", 1, 1_000, false);
    assertThat(epoch("b", true)).isEqualTo(5);
    assertThat(epoch("b", false)).isEqualTo(5);
  }

  @Test
  void a_hold_that_is_over_is_over_whatever_else_is_left_under_its_epoch() {
    epochs.ended("a", 1, 5);
    epochs.left("a", 1, 5, true);
    epochs.left("a", 1, 1_000, false);
    Former former = epochs.of("a", true).orElseThrow();
    assertThat(former.isBehind(4)).isTrue();
    assertThat(former.isBehind(5)).isTrue();
    assertThat(former.isBehind(6)).isFalse();
    epochs.left("a", 1, 7, true);
    epochs.ended("a", 1, 6);
    assertThat(epochs.of("a", true).orElseThrow().isBehind(7)).as("held since").isFalse();
  }
}
