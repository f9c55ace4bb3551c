package io.tunnel.programs.bench.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.load.TurnedClock;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class JourneysTest {

  private static final long SLOT_ROWS = 8L << 20;

  private final TurnedClock now = new TurnedClock();
  private final Journeys journeys = new Journeys(now);

  private void at(long nanos) {
    now.set(nanos);
  }

  private static void assertOne(Histogram histogram, long nanos) {
    assertThat(histogram.getTotalCount()).isEqualTo(1);
    assertThat(histogram.getMaxValue()).isEqualTo(nanos);
  }

  @Test
  void a_row_is_timed_from_due_to_acknowledged_and_from_there_to_seen() {
    journeys.start(0, 1_000);
    at(1_300);
    journeys.acked(0);
    at(1_350);
    journeys.seen(0);
    assertOne(journeys.written(), 300);
    assertOne(journeys.delivered(), 50);
    assertThat(journeys.written().getTotalCount()).isZero();
  }

  @Test
  void a_row_that_is_seen_before_its_writer_was_told_counts_as_nothing() {
    journeys.start(8, 1_000);
    at(1_100);
    journeys.seen(8);
    at(1_200);
    journeys.acked(8);
    assertOne(journeys.written(), 200);
    assertOne(journeys.delivered(), 0);
  }

  @Test
  void rows_between_the_eighths_and_rows_that_were_never_started_are_not_timed() {
    journeys.start(7, 1_000);
    journeys.acked(7);
    journeys.seen(7);
    journeys.acked(16);
    journeys.seen(16);
    assertThat(journeys.written().getTotalCount()).isZero();
    assertThat(journeys.delivered().getTotalCount()).isZero();
  }

  @Test
  void a_row_whose_slot_is_taken_by_one_that_is_late_is_not_timed() {
    journeys.start(0, 1_000);
    journeys.start(SLOT_ROWS, 1_000);
    at(1_500);
    journeys.acked(SLOT_ROWS);
    journeys.seen(SLOT_ROWS);
    assertThat(journeys.written().getTotalCount()).isZero();
    journeys.acked(0);
    journeys.seen(0);
    assertOne(journeys.written(), 500);
    journeys.start(SLOT_ROWS, 1_500);
    at(1_600);
    journeys.acked(SLOT_ROWS);
    assertOne(journeys.written(), 100);
  }
}
