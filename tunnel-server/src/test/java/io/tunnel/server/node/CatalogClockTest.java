package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.table.PassedTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** No life ends by a catalog that may lack an alteration. */
final class CatalogClockTest {

  private static final long MAX_MS = 3_000;

  private long micros = 1_000_000_000;
  private long ageMs;

  private final CatalogClock clock =
      new CatalogClock(
          new Shard.Clock() {
            @Override
            public long epochMicros() {
              return micros;
            }

            @Override
            public long nanos() {
              return TimeUnit.MICROSECONDS.toNanos(micros);
            }
          },
          () -> TimeUnit.MILLISECONDS.toNanos(ageMs),
          MAX_MS);

  /** Time passes, and the node hears nothing of the catalog. */
  private void pass(long ms) {
    micros += TimeUnit.MILLISECONDS.toMicros(ms);
    ageMs += ms;
  }

  @Test
  void lives_end_by_the_wall_clock_while_the_catalog_is_young() {
    pass(MAX_MS);
    assertThat(clock.passed()).isEqualTo(PassedTime.at(micros));
    assertThat(clock.epochMicros()).isEqualTo(micros);
    assertThat(clock.isRecent()).isTrue();
    assertThat(clock.nanos()).isEqualTo(TimeUnit.MICROSECONDS.toNanos(micros));
  }

  @Test
  void no_life_ends_while_the_catalog_is_old_and_all_that_are_due_end_when_it_is_read() {
    pass(MAX_MS);
    long last = micros;
    for (int i = 0; i < 10; i++) {
      pass(700);
      assertThat(clock.passed()).isEqualTo(PassedTime.at(last));
      assertThat(clock.epochMicros()).as("commit times go on").isEqualTo(micros);
      assertThat(clock.isRecent()).isFalse();
    }
    ageMs = 20;
    assertThat(clock.isRecent()).isTrue();
    assertThat(clock.passed()).isEqualTo(PassedTime.at(micros));
  }

  @Test
  void an_alteration_is_heard_when_no_leader_ends_lives_by_the_catalog_before_it() {
    ManualLater later = new ManualLater();
    CompletableFuture<Void> heard =
        new HeardTables(new NodeRoomsTest.OnlyShared(), later, MAX_MS).heard();
    later.pass(MAX_MS - 1);
    assertThat(heard).isNotDone();
    later.pass(1);
    assertThat(heard).isDone();
  }
}
