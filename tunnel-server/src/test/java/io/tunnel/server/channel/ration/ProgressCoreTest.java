package io.tunnel.server.channel.ration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ProgressCoreTest {

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  @Test
  void what_was_committed_before_the_first_look_entitles_to_nothing() {
    ProgressCore core = new ProgressCore();
    core.look(1_000);
    assertThat(core.isEntitled()).isFalse();
    core.look(1_001);
    assertThat(core.isEntitled()).isTrue();
  }

  @Test
  void who_was_kept_from_delivering_for_long_does_not_come_with_all_of_it() {
    ProgressCore core = new ProgressCore();
    core.look(0);
    core.look(Long.MAX_VALUE);
    long delivered = 0;
    for (; core.isEntitled(); delivered += 1_000) {
      core.delivered(1_000);
    }
    assertThat(delivered).isEqualTo(ProgressCore.ENTITLED_MAX);
  }

  /** A channel without other deliveries. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_backlog_shrinks_by_a_quarter_of_what_is_written_meanwhile(long seed) {
    Random random = new Random(seed);
    int batchMax = 1 + random.nextInt(1_000);
    ProgressCore core = new ProgressCore();
    long begun = random.nextInt(1_000_000);
    long committed = begun;
    long delivered = 0;
    core.look(committed);
    for (int i = 0; i < 1_000; i++) {
      committed += random.nextInt(3) == 0 ? random.nextInt(10_000) : 0;
      core.look(committed);
      while (core.isEntitled()) {
        int batch = 1 + random.nextInt(batchMax);
        core.delivered(batch);
        delivered += batch;
      }
      long entitled = (committed - begun) * 5 / 4;
      assertThat(delivered).isBetween(entitled, entitled + batchMax);
    }
  }
}
