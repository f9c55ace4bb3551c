package io.tunnel.server.partition;

import static io.tunnel.server.partition.TimeCore.TOLERANCE_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.catalog.ClockNote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimeCoreTest {

  private static final long SECOND = TimeUnit.SECONDS.toMicros(1);
  private static final long HOUR = 3_600 * SECOND;
  private static final long YEAR = 365 * 24 * HOUR;
  private static final long ACCEPTED = HOUR;
  private static final long[] LIVES = {2 * SECOND, HOUR / 2, 5 * HOUR, 100 * HOUR};
  private static final int WORLDS = 500;
  private static final int STEPS = 400;

  /** True time, and what the two clocks of the machine make of it. */
  private static final class Machine {
    private long trueMicros = 50 * YEAR;
    private long monotonicMicros;
    private long wrongMicros;
    private ClockNote note = ClockNote.NOTHING;
    private TimeCore core = core(0);

    private TimeCore core(long newestMicros) {
      return new TimeCore(
          note, newestMicros, TimeUnit.MICROSECONDS.toNanos(ACCEPTED), wall(), nanos());
    }

    private long wall() {
      return trueMicros + wrongMicros;
    }

    private long nanos() {
      return TimeUnit.MICROSECONDS.toNanos(monotonicMicros);
    }

    private void pass(long micros) {
      trueMicros += micros;
      monotonicMicros += micros;
    }

    /** As the shell does it. */
    private void tick() {
      long now = nanos();
      var unused = time();
      if (core.isAcceptable(now)) {
        note = core.noteOfAcceptance(now);
        core.accept(note, now);
      } else {
        note = core.note();
      }
    }

    private void pass(long micros, long tickMicros) {
      for (long left = micros; left > 0; left -= tickMicros) {
        pass(Math.min(left, tickMicros));
        tick();
      }
    }

    private long time() {
      return core.micros(wall(), nanos());
    }

    private long passed(long life) {
      return core.passed(wall(), nanos()).micros(life);
    }
  }

  @Test
  void a_clock_that_is_a_year_ahead_for_a_minute_changes_nothing() {
    Machine machine = new Machine();
    machine.tick();
    machine.wrongMicros = YEAR;
    for (int i = 0; i < 60; i++) {
      machine.pass(SECOND);
      machine.tick();
      assertThat(machine.time()).isEqualTo(machine.trueMicros);
      assertThat(machine.core.state()).isEqualTo(TimeCore.State.AHEAD);
      assertThat(machine.core.text().orElseThrow()).contains("31536000 s ahead");
    }
    machine.wrongMicros = 0;
    machine.tick();
    assertThat(machine.core.state()).isEqualTo(TimeCore.State.TRUSTED);
    assertThat(machine.core.text()).isEmpty();
    assertThat(machine.time()).isEqualTo(machine.trueMicros);
    assertThat(machine.note).isEqualTo(ClockNote.NOTHING);
  }

  @Test
  void a_restart_in_between_does_not_believe_the_jump() {
    Machine machine = new Machine();
    machine.wrongMicros = YEAR;
    machine.tick();
    machine.pass(100 * SECOND);
    machine.core = machine.core(machine.trueMicros - 99 * SECOND);
    machine.tick();
    assertThat(machine.core.state()).isEqualTo(TimeCore.State.AHEAD);
    assertThat(machine.time()).isEqualTo(machine.trueMicros);
  }

  @Test
  void a_jump_that_lasts_is_accepted_and_what_was_dated_without_it_lives_its_time() {
    Machine machine = new Machine();
    machine.tick();
    // The machine slept for eight hours, which only the wall clock knows.
    machine.trueMicros += 8 * HOUR;
    machine.tick();
    machine.pass(HOUR / 2);
    long committed = machine.time();
    assertThat(committed).isEqualTo(machine.trueMicros - 8 * HOUR);
    machine.pass(HOUR / 2 - 1);
    machine.tick();
    assertThat(machine.core.state()).isEqualTo(TimeCore.State.AHEAD);
    machine.pass(1);
    machine.tick();
    assertThat(machine.time()).isEqualTo(machine.trueMicros);
    long life = 2 * HOUR;
    assertThat(machine.passed(life) - committed).isEqualTo(HOUR / 2);
    machine.pass(life - HOUR / 2 - 1);
    assertThat(machine.passed(life) - committed).isLessThan(life);
    machine.pass(1);
    assertThat(machine.passed(life) - committed).isEqualTo(life);
    machine.pass(HOUR);
    assertThat(machine.passed(life)).as("nothing lags any more").isEqualTo(machine.trueMicros);
  }

  @Test
  void a_log_that_ends_in_the_future_goes_on_from_its_end_and_nothing_expires_by_it() {
    Machine machine = new Machine();
    long newest = machine.trueMicros + YEAR;
    machine.core = machine.core(newest);
    machine.pass(SECOND);
    machine.tick();
    assertThat(machine.core.state()).isEqualTo(TimeCore.State.BEHIND);
    assertThat(machine.time()).isEqualTo(newest + SECOND);
    assertThat(machine.passed(0)).isEqualTo(machine.trueMicros);
    machine.pass(HOUR, SECOND);
    assertThat(machine.core.state()).isEqualTo(TimeCore.State.TRUSTED);
    assertThat(machine.time()).isEqualTo(machine.trueMicros);
    assertThat(machine.passed(0)).isEqualTo(machine.trueMicros);
  }

  @Test
  void a_jump_that_was_accepted_by_mistake_is_taken_back() {
    Machine machine = new Machine();
    machine.tick();
    machine.wrongMicros = YEAR;
    machine.pass(HOUR + SECOND, SECOND);
    assertThat(machine.time()).isEqualTo(machine.wall());
    assertThat(machine.note.jumps()).hasSize(1);
    machine.wrongMicros = 0;
    machine.pass(HOUR + SECOND, SECOND);
    assertThat(machine.time()).isEqualTo(machine.trueMicros);
    assertThat(machine.passed(LIVES[3])).isEqualTo(machine.trueMicros);
    assertThat(machine.note).isEqualTo(ClockNote.NOTHING);
  }

  private record Row(long stamp, long trueMicros) {}

  @Test
  void whatever_a_clock_does_nothing_expires_early_and_expiry_goes_on_after_it() {
    for (int seed = 0; seed < WORLDS; seed++) {
      try {
        runWorld(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** Wrong clocks are set right before they are believed; a machine may sleep, or be off. */
  private void runWorld(Random random) {
    Machine machine = new Machine();
    Map<Integer, Long> last = new HashMap<>();
    List<Row> rows = new ArrayList<>();
    long wrongUntil = 0;
    long shown = 0;
    for (int step = 0; step < STEPS; step++) {
      machine.pass(random.nextInt(10) == 0 ? random.nextLong(HOUR) : random.nextLong(60 * SECOND));
      if (machine.wrongMicros != 0 && machine.trueMicros >= wrongUntil) {
        machine.wrongMicros = 0;
      } else if (machine.wrongMicros == 0 && random.nextInt(20) == 0) {
        long size = random.nextBoolean() ? YEAR : 60 * SECOND;
        machine.wrongMicros = random.nextLong(-size, size);
        wrongUntil = machine.trueMicros + random.nextLong(ACCEPTED / 4);
      }
      // A wrong clock is set right, at the latest, when it would be believed.
      boolean isTrustedSoon =
          machine.core.isAcceptable(machine.nanos() + TimeUnit.MICROSECONDS.toNanos(ACCEPTED / 4));
      machine.wrongMicros = isTrustedSoon ? 0 : machine.wrongMicros;
      if (random.nextInt(30) == 0) {
        machine.trueMicros += random.nextLong(10 * HOUR); // Asleep.
      }
      machine.tick();
      boolean isRestarted = random.nextInt(30) == 0;
      if (isRestarted) {
        machine.monotonicMicros = random.nextLong(YEAR);
        machine.trueMicros += random.nextLong(HOUR);
        long newest = last.values().stream().mapToLong(Long::longValue).max().orElse(0);
        machine.core = machine.core(newest);
        machine.tick();
      }
      long time = machine.time();
      if (!isRestarted && machine.core.state() != TimeCore.State.TRUSTED) {
        assertThat(time).as("the time in doubt").isGreaterThanOrEqualTo(shown);
      }
      shown = time;
      int partition = random.nextInt(3);
      long stamp = last.merge(partition, time, Math::max);
      rows.add(new Row(stamp, machine.trueMicros));
      requireNothingEarly(machine, rows);
    }
    machine.wrongMicros = 0;
    machine.pass(ACCEPTED + 60 * SECOND, 10 * SECOND);
    assertThat(machine.core.state()).isEqualTo(TimeCore.State.TRUSTED);
    assertThat(machine.trueMicros - machine.time()).isBetween(-TOLERANCE_MICROS, TOLERANCE_MICROS);
    machine.pass(LIVES[LIVES.length - 1] + 60 * SECOND);
    machine.tick();
    for (long life : LIVES) {
      assertThat(machine.trueMicros - machine.passed(life))
          .as("lag of what lives %s", life)
          .isBetween(-TOLERANCE_MICROS, 2 * TOLERANCE_MICROS);
    }
  }

  private static void requireNothingEarly(Machine machine, List<Row> rows) {
    for (long life : LIVES) {
      long passed = machine.passed(life);
      for (Row row : rows) {
        long age = machine.trueMicros - row.trueMicros();
        if (passed - row.stamp() >= life) {
          assertThat(age).as("age of %s", row).isGreaterThanOrEqualTo(life - 2 * TOLERANCE_MICROS);
        }
      }
    }
  }
}
