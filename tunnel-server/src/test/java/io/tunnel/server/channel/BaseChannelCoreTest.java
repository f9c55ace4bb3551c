package io.tunnel.server.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class BaseChannelCoreTest {

  private static final int ROW_BYTES = 100;
  private static final int DELIVERY_BYTES_MAX = 500;

  static LongStream seeds() {
    return LongStream.range(0, 500);
  }

  /** A model reads rows in any order of credit, results, stops and full connections. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rows_are_read_one_batch_at_a_time_on_credit_and_the_end_comes_once_and_last(long seed) {
    Random random = new Random(seed);
    long checkpointed = random.nextInt(5);
    long rows = checkpointed + random.nextInt(30);
    BaseChannelCore core = new BaseChannelCore(checkpointed, DELIVERY_BYTES_MAX);
    OptionalInt underWay = OptionalInt.empty();
    boolean isWritable = true;
    long credit = 0;
    int looks = 0;
    int ends = 0;
    for (int step = 0; step < 400; step++) {
      switch (random.nextInt(5)) {
        case 0 -> {
          int bytes = 1 + random.nextInt(400);
          core.credit(bytes);
          credit += bytes;
        }
        case 1 -> isWritable = random.nextBoolean();
        case 2, 3 -> {
          OptionalInt bytes = core.beginRead(isWritable);
          if (bytes.isPresent()) {
            assertThat(underWay).as("one read at a time").isEmpty();
            assertThat(ends).as("no read behind the end").isZero();
            if (bytes.getAsInt() == 0) {
              looks++;
            } else {
              assertThat(isWritable && credit > 0).isTrue();
              assertThat((long) bytes.getAsInt()).isEqualTo(Math.min(credit, DELIVERY_BYTES_MAX));
            }
            underWay = bytes;
          }
        }
        default -> {
          if (underWay.isPresent()) {
            int bytesMax = underWay.getAsInt();
            underWay = OptionalInt.empty();
            long before = core.delivered();
            if (before == rows) {
              core.foundEnd();
            } else if (bytesMax == 0) {
              core.foundMore();
            } else {
              long last = Math.min(rows, before + Math.max(1, bytesMax / ROW_BYTES));
              int bytes = (int) (last - before) * ROW_BYTES;
              core.delivered(last, bytes, last == rows);
              credit -= bytes;
              assertThat(core.delivered()).isEqualTo(last);
            }
            assertThat(core.credit()).isEqualTo(credit);
            assertThat(core.isEnded())
                .isEqualTo(core.delivered() == rows && (before == rows || bytesMax > 0));
            ends += core.isEnded() ? 1 : 0;
          }
        }
      }
      if (seed % 7 == 0 && random.nextInt(50) == 0) {
        core.stop();
        core.credit(1);
        assertThat(core.beginRead(true)).as("a stopped channel reads nothing").isEmpty();
        assertThat(core.isEnded()).isFalse();
        return;
      }
    }
    assertThat(looks).isLessThanOrEqualTo(1);
    assertThat(ends).isLessThanOrEqualTo(1);
    assertThat(ends == 1 || core.beginRead(true).isPresent() || underWay.isPresent() || credit <= 0)
        .as("a channel that could read on wants to")
        .isTrue();
  }

  @Test
  void a_channel_without_credit_looks_once_whether_there_is_a_row() {
    BaseChannelCore core = new BaseChannelCore(3, DELIVERY_BYTES_MAX);
    assertThat(core.beginRead(true)).hasValue(0);
    core.foundMore();
    assertThat(core.beginRead(true)).isEmpty();
    core.credit(70);
    assertThat(core.beginRead(false)).isEmpty();
    assertThat(core.beginRead(true)).hasValue(70);
  }

  @Test
  void what_a_delivery_took_too_much_is_the_next_credits_to_fill_up() {
    BaseChannelCore core = new BaseChannelCore(0, DELIVERY_BYTES_MAX);
    core.credit(1);
    assertThat(core.beginRead(true)).hasValue(1);
    core.delivered(1, 300, false);
    core.credit(299);
    assertThat(core.beginRead(true)).isEmpty();
    core.credit(1);
    assertThat(core.beginRead(true)).hasValue(1);
  }

  @Test
  void results_of_no_read_and_positions_that_do_not_rise_are_broken_invariants() {
    BaseChannelCore core = new BaseChannelCore(3, DELIVERY_BYTES_MAX);
    assertThatThrownBy(core::foundEnd).isInstanceOf(IllegalStateException.class);
    core.credit(1);
    core.beginRead(true);
    assertThatThrownBy(() -> core.delivered(3, 1, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delivered 3 and now 3");
  }
}
