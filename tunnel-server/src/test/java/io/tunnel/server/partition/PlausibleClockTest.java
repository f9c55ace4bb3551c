package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.server.Logged;
import io.tunnel.server.catalog.ClockNote;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.table.PassedTime.Jump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlausibleClockTest {

  private static final long ACCEPTED_MS = 60_000;
  private static final long YEAR_MICROS = TimeUnit.DAYS.toMicros(365);

  private long wallMicros = 1_700_000_000_000_000L;
  private long nanos;

  private final Shard.Clock machine =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return wallMicros;
        }

        @Override
        public long nanos() {
          return nanos;
        }
      };

  private void pass(long seconds) {
    wallMicros += TimeUnit.SECONDS.toMicros(seconds);
    nanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  private PlausibleClock begun(TunnelCatalog catalog, long newestMicros) {
    PlausibleClock clock = new PlausibleClock(machine, ACCEPTED_MS);
    clock.begin(catalog, newestMicros);
    return clock;
  }

  @Test
  void a_jump_is_noted_told_and_accepted_in_time_also_over_a_restart(@TempDir Path directory)
      throws IOException {
    long right = wallMicros;
    try (Logged log = Logged.of(PlausibleClock.class)) {
      try (TunnelCatalog catalog = TunnelCatalog.open(directory, () -> 0)) {
        PlausibleClock clock = begun(catalog, 0);
        assertThat(clock.doubt()).isEmpty();
        wallMicros += YEAR_MICROS;
        clock.tick(catalog);
        assertThat(clock.epochMicros()).isEqualTo(right);
        assertThat(clock.doubt().orElseThrow()).contains("31536000 s ahead");
        assertThat(clock.doubtSeconds()).isEqualTo(31_536_000);
        assertThat(catalog.clock()).isEqualTo(new ClockNote(List.of(), YEAR_MICROS));
        assertThat(log.at(Level.WARN)).singleElement().asString().contains("60000 ms");
      }
      try (TunnelCatalog catalog = TunnelCatalog.open(directory, () -> 0)) {
        PlausibleClock clock = begun(catalog, right);
        pass(59);
        clock.tick(catalog);
        assertThat(clock.epochMicros()).isEqualTo(right + 59_000_000);
        pass(1);
        clock.tick(catalog);
        assertThat(clock.epochMicros()).isEqualTo(wallMicros);
        assertThat(clock.doubt()).isEmpty();
        assertThat(catalog.clock().jumps())
            .containsExactly(new Jump(right + 70_000_000, YEAR_MICROS));
        assertThat(clock.passed().micros(1_000_000_000)).isEqualTo(right + 60_000_000);
      }
    }
    try (TunnelCatalog catalog = TunnelCatalog.open(directory, () -> 0)) {
      PlausibleClock clock = begun(catalog, wallMicros);
      assertThat(clock.passed().micros(1_000_000_000)).isEqualTo(right + 60_000_000);
      assertThat(clock.passed().micros(0)).isEqualTo(right + 60_000_000);
      pass(10);
      assertThat(clock.passed().micros(0)).isEqualTo(wallMicros);
    }
  }

  @Test
  void with_no_time_to_insist_a_log_of_the_future_is_not_followed_at_all(@TempDir Path directory)
      throws IOException {
    try (TunnelCatalog catalog = TunnelCatalog.open(directory, () -> 0)) {
      PlausibleClock clock = new PlausibleClock(machine, 0);
      clock.begin(catalog, wallMicros + YEAR_MICROS);
      assertThat(clock.doubt()).isEmpty();
      assertThat(clock.epochMicros()).isEqualTo(wallMicros);
      assertThat(catalog.clock()).isEqualTo(ClockNote.NOTHING);
    }
  }
}
