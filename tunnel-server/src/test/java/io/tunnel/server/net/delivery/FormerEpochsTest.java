package io.tunnel.server.net.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.delivery.FormerEpochs.Former;
import org.junit.jupiter.api.Test;

final class FormerEpochsTest {

  private final FormerEpochs epochs = new FormerEpochs();

  private long epoch(String channelId) {
    return epochs.of(channelId).map(Former::epoch).orElse(0L);
  }

  @Test
  void so_many_epochs_are_remembered_and_the_first_ones_are_forgotten_first() {
    for (int i = 0; i < FormerEpochs.EPOCHS_MAX; i++) {
      epochs.left("c" + i, 7, i + 1);
    }
    assertThat(epoch("c0")).isEqualTo(1);
    epochs.left("c0", 7, 100_000);
    epochs.left("one more", 7, 5);
    assertThat(epoch("c0")).as("left again since").isEqualTo(100_000);
    assertThat(epoch("c1")).as("forgotten").isZero();
    assertThat(epoch("c2")).isEqualTo(3);
    assertThat(epoch("one more")).isEqualTo(5);
  }

  @Test
  void what_is_delivered_elsewhere_is_forgotten() {
    epochs.left("a", 1, 5);
    epochs.left("b", 2, 6);
    epochs.left("c", 1, 7);
    epochs.forget(1);
    assertThat(epoch("a")).isZero();
    assertThat(epoch("b")).isEqualTo(6);
    assertThat(epoch("c")).isZero();
    epochs.came("b");
    assertThat(epoch("b")).isZero();
  }

  @Test
  void a_hold_that_is_over_is_over_whatever_else_is_left_under_its_epoch() {
    epochs.ended("a", 1, 5);
    epochs.left("a", 1, 5);
    Former former = epochs.of("a").orElseThrow();
    assertThat(former.isBehind(4)).isTrue();
    assertThat(former.isBehind(5)).isTrue();
    assertThat(former.isBehind(6)).isFalse();
    epochs.left("a", 1, 7);
    epochs.ended("a", 1, 6);
    assertThat(epochs.of("a").orElseThrow().isBehind(7)).as("held since").isFalse();
  }
}
