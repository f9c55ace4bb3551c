package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.engine.LossCore.Found;
import io.tunnel.server.engine.LossCore.Line;
import io.tunnel.server.engine.LossCore.Lost;
import io.tunnel.server.engine.LossCore.Rest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LossCoreTest {

  private static final long SECOND = LossCore.LINE_NANOS / 60;

  private long nowNanos = 5;
  private final LossCore core = new LossCore(nowNanos);

  private Found look(Lost... lost) {
    return core.look(List.of(lost), nowNanos);
  }

  private void nothingWasLostBefore() {
    assertThat(look()).isEqualTo(new Found(0, List.of(), Rest.NONE));
  }

  @Test
  void what_was_lost_before_the_first_look_is_logged_and_not_counted() {
    Lost before = new Lost("c", 1, 6);
    assertThat(look(before)).isEqualTo(new Found(0, List.of(new Line(before, 6, true)), Rest.NONE));
    nowNanos += LossCore.LINE_NANOS;
    assertThat(look(before)).isEqualTo(new Found(0, List.of(), Rest.NONE));
    Lost more = new Lost("c", 1, 8);
    assertThat(look(more)).isEqualTo(new Found(2, List.of(new Line(more, 2, false)), Rest.NONE));
  }

  @Test
  void a_channel_that_loses_more_has_one_line_a_minute() {
    nothingWasLostBefore();
    assertThat(look(new Lost("c", 1, 6)).lines()).hasSize(1);
    for (int second = 1; second < 60; second++) {
      nowNanos += SECOND;
      assertThat(look(new Lost("c", 1, 6 + second))).isEqualTo(new Found(1, List.of(), Rest.NONE));
    }
    nowNanos += SECOND;
    Lost last = new Lost("c", 1, 66);
    assertThat(look(last)).isEqualTo(new Found(1, List.of(new Line(last, 60, false)), Rest.NONE));
  }

  @Test
  void a_channel_that_was_moved_and_loses_again_has_a_line_at_once() {
    nothingWasLostBefore();
    assertThat(look(new Lost("c", 1, 6)).changes()).isEqualTo(6);
    assertThat(look().changes()).isZero();
    Lost again = new Lost("c", 9, 9);
    assertThat(look(again)).isEqualTo(new Found(1, List.of(new Line(again, 1, true)), Rest.NONE));
  }

  @Test
  void a_move_between_two_looks_hides_no_loss() {
    nothingWasLostBefore();
    assertThat(look(new Lost("c", 1, 6)).changes()).isEqualTo(6);
    assertThat(look(new Lost("c", 10, 12)).changes()).isEqualTo(3);
  }

  @Test
  void what_a_worker_had_received_is_lost_with_the_worker() {
    nothingWasLostBefore();
    assertThat(look(new Lost("c", 5, 6)).changes()).isEqualTo(2);
    assertThat(look(new Lost("c", 1, 6)).changes()).isEqualTo(4);
    assertThat(look(new Lost("c", 1, 6)).changes()).isZero();
  }

  @Test
  void many_channels_have_ten_lines_a_minute_and_one_for_the_rest() {
    nothingWasLostBefore();
    Lost[] all = IntStream.range(0, 25).mapToObj(i -> new Lost("c" + i, 1, 2)).toArray(Lost[]::new);
    Found found = look(all);
    assertThat(found.changes()).isEqualTo(50);
    assertThat(found.lines()).hasSize(LossCore.LINES_MAX);
    assertThat(found.rest()).isEqualTo(new Rest(15, 30));
    nowNanos += SECOND;
    assertThat(look(all)).isEqualTo(new Found(0, List.of(), Rest.NONE));
    nowNanos += LossCore.LINE_NANOS;
    found = look(all);
    assertThat(found.lines()).hasSize(LossCore.LINES_MAX);
    assertThat(found.rest()).isEqualTo(new Rest(5, 10));
    nowNanos += LossCore.LINE_NANOS;
    assertThat(look(all).lines()).hasSize(5);
    nowNanos += LossCore.LINE_NANOS;
    assertThat(look(all)).isEqualTo(new Found(0, List.of(), Rest.NONE));
  }

  @Test
  void no_changes_are_no_loss() {
    assertThatThrownBy(() -> new Lost("c", 2, 1)).hasMessageContaining("from 2 to 1");
  }

  /** A channel of the test: the positions that were counted since its last move. */
  private static final class Truth {
    private final Set<Long> counted = new HashSet<>();
    private long first = 1;
    private long last;
    private long shown;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void each_lost_change_is_counted_once_and_shown_once(int seed) {
    Random random = new Random(seed);
    nothingWasLostBefore();
    Map<String, Truth> truths = new HashMap<>();
    int linesOfMinute = 0;
    long minute = nowNanos;
    for (int step = 0; step < 2_000; step++) {
      nowNanos += random.nextInt(20) * SECOND;
      long expected = 0;
      List<Lost> lost = new ArrayList<>();
      for (int i = 0; i < 15; i++) {
        String channel = "c" + i;
        if (random.nextInt(40) == 0) {
          truths.remove(channel);
        } else if (truths.containsKey(channel) || random.nextInt(10) == 0) {
          Truth truth = truths.computeIfAbsent(channel, unused -> new Truth());
          if (truth.last == 0) {
            truth.first = 100L + random.nextInt(50);
            truth.last = truth.first;
          }
          truth.last += random.nextInt(3);
          truth.first = Math.max(1, truth.first - (random.nextInt(20) == 0 ? 5 : 0));
          lost.add(new Lost(channel, truth.first, truth.last));
          expected +=
              LongStream.rangeClosed(truth.first, truth.last).filter(truth.counted::add).count();
        }
      }
      if (nowNanos - minute >= LossCore.LINE_NANOS) {
        minute = nowNanos;
        linesOfMinute = 0;
      }
      Found found = core.look(lost, nowNanos);
      assertThat(found.changes()).as("seed %d, step %d", seed, step).isEqualTo(expected);
      linesOfMinute += found.lines().size();
      assertThat(linesOfMinute).isLessThanOrEqualTo(LossCore.LINES_MAX);
      for (Line line : found.lines()) {
        Truth truth = truths.get(line.lost().channel());
        truth.shown += line.changes();
        assertThat(truth.shown).isEqualTo(truth.counted.size());
      }
    }
  }
}
