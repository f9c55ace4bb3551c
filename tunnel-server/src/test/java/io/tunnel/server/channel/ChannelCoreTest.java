package io.tunnel.server.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class ChannelCoreTest {

  @Test
  void whatIsSettledIsToldOncePerPositionAndNotOfAChannelThatEnds() {
    ChannelCore core = new ChannelCore(5, 100);
    assertThat(core.takeSettled(5)).as("nothing behind what the reader has").isFalse();
    assertThat(core.takeSettled(7)).isTrue();
    assertThat(core.takeSettled(7)).as("twice").isFalse();
    assertThat(core.takeSettled(6)).as("less").isFalse();
    core.credit(10);
    core.delivered(9, 10);
    assertThat(core.takeSettled(9)).isFalse();
    assertThat(core.takeSettled(10)).isTrue();
    core.endAt(12);
    assertThat(core.takeSettled(12)).as("END_OF_CHANNEL says it").isFalse();
    ChannelCore stopped = new ChannelCore(0, 100);
    stopped.stop();
    assertThat(stopped.takeSettled(1)).isFalse();
  }

  private final ChannelCore core = new ChannelCore(10, 500);

  @Test
  void creditOfManySmallStepsDoesNotOverflow() {
    for (int i = 0; i < 5; i++) {
      core.credit(Integer.MAX_VALUE);
    }
    assertThat(core.credit()).isEqualTo(5L * Integer.MAX_VALUE);
    assertThat(core.bytesMax()).isEqualTo(500);
    assertThat(core.wants(11)).isTrue();
  }

  @Test
  void whatADeliveryTookTooMuchIsTheNextCreditsToFillUp() {
    core.credit(1);
    core.delivered(20, 300);
    core.credit(299);
    assertThat(core.wants(30)).isFalse();
    core.credit(1);
    assertThat(core.wants(30)).isTrue();
    assertThat(core.bytesMax()).isEqualTo(1);
  }

  @Test
  void positionsMustRise() {
    core.credit(1);
    assertThatThrownBy(() -> core.delivered(10, 5))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delivered 10 and now 10");
  }

  @Test
  void nothingIsWantedOfWhatWasDeliveredOrAfterAStop() {
    core.credit(1);
    assertThat(core.wants(10)).isFalse();
    assertThat(core.nextPosition()).isEqualTo(11);
    core.stop();
    assertThat(core.wants(11)).isFalse();
    assertThat(core.isStopped()).isTrue();
  }

  @Test
  void nothingIsWantedBehindTheEndAndTheEndIsTakenOnce() {
    core.credit(1_000);
    core.endAt(20);
    assertThat(core.wants(100)).isTrue();
    assertThat(core.takeEnd()).isFalse();
    core.delivered(20, 5);
    assertThat(core.wants(100)).isFalse();
    assertThat(core.takeEnd()).isTrue();
    assertThat(core.takeEnd()).isFalse();
  }

  @Test
  void theEndMayBeWhereTheChannelStartsOrHasComeToAndMayBeSaidTwice() {
    core.endAt(10);
    core.endAt(10);
    assertThat(core.takeEnd()).as("needs no credit").isTrue();
    core.endAt(10);
    assertThat(core.takeEnd()).isFalse();
  }

  @Test
  void aStoppedChannelTellsNoEnd() {
    core.endAt(10);
    core.stop();
    assertThat(core.takeEnd()).isFalse();
  }

  @Test
  void anEndThatIsFoundInFrontOfWhatWasDeliveredIsToldAndNothingFollows() {
    core.endAt(9);
    core.credit(100);
    assertThat(core.wants(20)).isFalse();
    assertThat(core.takeEnd()).isTrue();
    assertThat(core.takeSettled(20)).isFalse();
    assertThat(core.end()).isEqualTo(9);
  }

  @Test
  void anEndThatMovesIsABrokenInvariant() {
    core.endAt(15);
    assertThatThrownBy(() -> core.endAt(16))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ends at 15 cannot end at 16");
    core.credit(1);
    assertThatThrownBy(() -> core.delivered(16, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delivered 16 of a channel that ends at 15");
  }

  @Test
  void anEndThatIsNoChangeIsToldWhenItIsCertainThatNoneIsLeft() {
    ChannelCore core = new ChannelCore(5, 100);
    core.endAt(8);
    core.emptyUpTo(7);
    assertThat(core.takeEnd()).isFalse();
    core.emptyUpTo(6);
    core.emptyUpTo(9);
    assertThat(core.takeEnd()).isTrue();
    assertThat(core.takeEnd()).as("once").isFalse();
    assertThat(core.delivered()).isEqualTo(5);
  }
}
