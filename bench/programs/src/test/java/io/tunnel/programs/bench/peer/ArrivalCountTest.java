package io.tunnel.programs.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.load.TurnedClock;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ArrivalCountTest {

  private static final long SECOND = 1_000_000_000;

  private final TurnedClock clock = new TurnedClock();
  private final ArrivalCount arrivals = new ArrivalCount(100, clock);

  private void arrive(int rows, long atNanos) {
    clock.set(atNanos);
    arrivals.arrived(rows, 0, 0);
  }

  private long lastNanos() throws InterruptedException {
    return arrivals.awaitNanos(new IdleReader(), 1);
  }

  private static final class IdleReader implements RowReader {
    @Override
    public void start() {}

    @Override
    public Optional<String> trouble() {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  @Test
  void the_steady_part_begins_when_a_tenth_has_come() throws InterruptedException {
    arrive(4, 3 * SECOND);
    arrive(16, 5 * SECOND);
    arrive(30, 6 * SECOND);
    arrive(50, 9 * SECOND);
    assertThat(lastNanos()).isEqualTo(9 * SECOND);
    assertThat(arrivals.firstNanos()).isEqualTo(3 * SECOND);
    assertThat(arrivals.steadyRowsPerSecond()).isEqualTo(80 / 4.0);
  }

  @Test
  void rows_that_all_come_at_once_have_no_steady_part() throws InterruptedException {
    arrive(100, 2 * SECOND);
    assertThat(lastNanos()).isEqualTo(2 * SECOND);
    assertThat(arrivals.firstNanos()).isEqualTo(2 * SECOND);
    assertThat(arrivals.steadyRowsPerSecond()).isNaN();
  }

  @Test
  void an_empty_batch_is_not_the_first_one() throws InterruptedException {
    arrive(0, SECOND);
    arrive(60, 2 * SECOND);
    arrive(40, 3 * SECOND);
    assertThat(lastNanos()).isEqualTo(3 * SECOND);
    assertThat(arrivals.firstNanos()).isEqualTo(2 * SECOND);
    assertThat(arrivals.steadyRowsPerSecond()).isEqualTo(40);
  }
}
