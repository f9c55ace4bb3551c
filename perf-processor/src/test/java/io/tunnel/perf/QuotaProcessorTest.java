package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QuotaProcessorTest {

  private final PerfMeter meter = new PerfMeter();
  private final RowQuota quota = new RowQuota(25);
  private final RecordedCheckpoints checkpoints = new RecordedCheckpoints();
  private long nanos;

  private QuotaProcessor channel() {
    PerfProcessor counting =
        new PerfProcessor(meter, new RecordWork(new RecordWork.Cost(false, 0), () -> 0), () -> 0);
    return new QuotaProcessor(counting, quota, checkpoints, () -> nanos);
  }

  @Test
  void what_lies_behind_the_last_row_is_neither_counted_nor_checkpointed() {
    QuotaProcessor first = channel();
    QuotaProcessor second = channel();
    first.process(Inputs.of("1_a", 10, 0, 0));
    second.process(Inputs.of("2_b", 20, 0, 0));
    first.process(Inputs.of("1_a", 10, 0, 0));
    assertThat(meter.rows()).isEqualTo(25);
    assertThat(meter.totals().rowsByChannel()).containsEntry("1_a", 10L).containsEntry("2_b", 15L);
    assertThat(meter.totals().bytes())
        .isEqualTo(Inputs.of("1_a", 10, 0, 0).byteCount() + Inputs.of("2_b", 15, 0, 0).byteCount());
    first.closing("1_a");
    second.closing("2_b");
    assertThat(checkpoints.tokens).containsExactly("token", "15");
  }

  @Test
  void a_channel_without_a_counted_row_is_not_checkpointed() {
    assertThat(quota.take(30)).isEqualTo(25);
    QuotaProcessor channel = channel();
    channel.process(Inputs.of("1_a", 10, 0, 0));
    channel.closing("1_a");
    assertThat(meter.rows()).isZero();
    assertThat(checkpoints.tokens).isEmpty();
  }

  @Test
  void a_channel_that_ends_is_finished_only_if_all_of_it_was_counted() {
    QuotaProcessor whole = channel();
    whole.process(Inputs.of("1_a", 20, 0, 0));
    whole.ended("1_a");
    QuotaProcessor cut = channel();
    cut.process(Inputs.of("2_b", 20, 0, 0));
    cut.ended("2_b");
    assertThat(checkpoints.tokens).containsExactly("null", "5");
  }

  @Test
  void progress_is_checkpointed_on_the_way_and_an_input_that_comes_again_is_counted_once() {
    QuotaProcessor channel = channel();
    channel.process(Inputs.of("1_a", 10, 0, 0));
    assertThat(checkpoints.tokens).isEmpty();
    nanos += TimeUnit.SECONDS.toNanos(5);
    checkpoints.failure = new IllegalStateException("fenced");
    assertThatThrownBy(() -> channel.process(Inputs.of("1_a", 10, 0, 0))).hasMessage("fenced");
    assertThat(meter.rows()).isEqualTo(10);
    checkpoints.failure = null;
    channel.process(Inputs.of("1_a", 10, 0, 0));
    assertThat(checkpoints.tokens).containsExactly("token");
    assertThat(meter.rows()).isEqualTo(20);
  }
}
