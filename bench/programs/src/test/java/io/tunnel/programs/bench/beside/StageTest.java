package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.load.TurnedClock;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageTest {

  private static final int MINUTES = 3;

  private final List<String> steps = new ArrayList<>();
  private final TurnedClock clock = new TurnedClock();
  private final Stage stage =
      new Stage(
          new RowLoad(1, 10, RowPlan.DEFAULT, Progress.NONE, clock),
          10,
          Stage.Deadline.in(MINUTES, clock),
          new Steps(),
          clock);

  @TempDir Path directory;

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
    clock.pass(TimeUnit.MINUTES.toNanos(MINUTES));
    stage.step("in time");
    clock.pass(1);
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
    clock.looksTake(1_000);
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
    clock.looksTake(TimeUnit.SECONDS.toNanos(11));
    assertThatThrownBy(() -> new Ceiling(stage).run(directory, 3_000, 1))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the raw ceiling took longer than 10 s");
    assertThat(directory).isEmptyDirectory();
  }
}
