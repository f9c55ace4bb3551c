package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.peer.Load;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageTest {

  private static final int MINUTES = 3;

  private final List<String> steps = new ArrayList<>();
  private final SetClock clock = new SetClock();
  private final Stage stage =
      new Stage(new Load(1, 10), 10, Stage.Deadline.in(MINUTES, clock), new Steps(), clock);

  @TempDir Path directory;

  private static final class SetClock implements LoadClock {
    private long nanos = 77;
    private long nanosEachLook;

    @Override
    public long nanos() {
      nanos += nanosEachLook;
      return nanos;
    }

    @Override
    public long epochMs() {
      return 0;
    }

    @Override
    public void waitUntil(long until, BooleanSupplier stopped) {
      nanos = until;
    }
  }

  private final class Steps implements Progress {
    @Override
    public void step(String what) {
      steps.add(what);
    }

    @Override
    public Watch watch(String verb, long total, LongSupplier done) {
      return NONE.watch(verb, total, done);
    }
  }

  @Test
  void the_last_step_begins_when_the_time_is_just_over_and_none_behind_it() {
    clock.nanos += TimeUnit.MINUTES.toNanos(MINUTES);
    stage.step("in time");
    clock.nanos++;
    assertThatThrownBy(() -> stage.step("too late"))
        .isInstanceOfSatisfying(
            CommandFailure.class,
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED))
        .hasMessage("not done after 3 minutes, before: too late; --minutes-max gives more");
    assertThat(steps).containsExactly("in time");
  }

  @Test
  void the_raw_ceiling_sends_the_rows_once_more_than_it_counts_and_leaves_no_file()
      throws IOException {
    clock.nanosEachLook = 1_000;
    assertThat(new Ceiling(stage).run(directory, 3_000, 2)).isPositive();
    assertThat(steps)
        .containsExactly(
            "raw ceiling, rows to send",
            "raw ceiling, warm-up",
            "raw ceiling, 1 of 2",
            "raw ceiling, 2 of 2");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void a_raw_ceiling_that_takes_too_long_ends() {
    clock.nanosEachLook = TimeUnit.SECONDS.toNanos(11);
    assertThatThrownBy(() -> new Ceiling(stage).run(directory, 3_000, 1))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the raw ceiling took longer than 10 s");
    assertThat(directory).isEmptyDirectory();
  }
}
