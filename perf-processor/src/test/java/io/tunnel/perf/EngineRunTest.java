package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EngineRunTest {

  /** A clock that a look turns by a millisecond. */
  private static final class FakeClock implements RunClock {
    long ms = 10_000;
    boolean isAsked;

    @Override
    public long nanos() {
      ms++;
      return ms * 1_000_000;
    }

    @Override
    public long epochMs() {
      return ms;
    }

    @Override
    public long cpuNanos() {
      return 0;
    }

    @Override
    public long heapUsedBytes() {
      return 0;
    }

    @Override
    public boolean pause(long unused) {
      return isAsked;
    }
  }

  private final FakeClock clock = new FakeClock();
  private final FakeEngine engine = new FakeEngine();
  private final List<JsonObject> lines = new ArrayList<>();
  private long startMs;
  private long delayMs;

  private EngineRun.Ended run(OptionalLong rows, OptionalLong idleNanos) throws Exception {
    PerfRun.Report report =
        new PerfRun.Report(
            1,
            true,
            line -> lines.add(JsonParser.parseString(line.json()).getAsJsonObject()),
            remark -> {});
    EngineRun.Stops stops =
        (start, delay) -> {
          startMs = start / 1_000_000;
          delayMs = delay / 1_000_000;
          return new StopCore(start, rows, OptionalLong.empty(), idleNanos);
        };
    return new EngineRun(clock, report).consume(engine.start(null), stops);
  }

  private JsonObject last() {
    return lines.get(lines.size() - 1);
  }

  @Test
  void a_line_is_a_window_and_the_summary_is_all_of_them() throws Exception {
    engine.windows.add(FakeEngine.window(9_000, 40, 0));
    engine.windows.add(FakeEngine.window(8_000, 0, 0));
    engine.windows.add(FakeEngine.window(11_000, 20, 5));
    assertThat(run(OptionalLong.of(60), OptionalLong.empty()))
        .isEqualTo(new EngineRun.Ended("rows", Optional.empty()));
    assertThat(lines).hasSize(4);
    JsonObject first = lines.get(0);
    assertThat(first.get("kind").getAsString()).isEqualTo("interval");
    assertThat(first.get("timestampMs").getAsLong()).isEqualTo(9_000);
    assertThat(first.get("elapsedMs").getAsDouble()).isEqualTo(1_000);
    assertThat(first.get("rowsPerSecond").getAsLong()).isEqualTo(40);
    assertThat(first.get("bytesPerSecond").getAsLong()).isEqualTo(400);
    assertThat(first.get("coresUsed").getAsDouble()).isEqualTo(0.5);
    assertThat(first.get("cpuSecondsPerMillionRows").getAsDouble()).isEqualTo(12_500);
    assertThat(first.has("lateRows")).isFalse();
    assertThat(lines.get(1).get("rowsPerSecond").getAsLong()).isZero();
    JsonObject summary = last();
    assertThat(summary.get("kind").getAsString()).isEqualTo("summary");
    assertThat(summary.get("rows").getAsLong()).isEqualTo(60);
    assertThat(summary.get("lateRows").getAsLong()).isEqualTo(5);
    assertThat(summary.get("latencyP50Ms").getAsDouble()).isEqualTo(2);
    // From the first row on, which was read at 8,000; the job took a millisecond to end.
    assertThat(summary.get("elapsedMs").getAsLong()).isEqualTo(clock.ms - 1 - 8_000);
    assertThat(summary.get("heapUsedBytes").getAsLong()).isEqualTo(64_000_000);
    assertThat(summary.getAsJsonObject("rowsPerSecondByChannel").has("1")).isTrue();
  }

  @Test
  void what_a_job_gives_when_it_is_asked_to_end_is_counted() throws Exception {
    engine.windows.add(FakeEngine.window(9_000, 40, 0));
    engine.rest.add(FakeEngine.window(10_000, 7, 0));
    clock.isAsked = false;
    assertThat(run(OptionalLong.of(40), OptionalLong.empty()).reason()).isEqualTo("rows");
    assertThat(last().get("rows").getAsLong()).isEqualTo(47);
  }

  @Test
  void a_signal_ends_it() throws Exception {
    clock.isAsked = true;
    assertThat(run(OptionalLong.empty(), OptionalLong.empty()).reason()).isEqualTo("signal");
    assertThat(last().get("elapsedMs").getAsDouble()).isZero();
    assertThat(last().get("rows").getAsLong()).isZero();
  }

  @Test
  void the_wait_that_ends_an_idle_run_is_no_part_of_its_rate() throws Exception {
    engine.windows.add(FakeEngine.window(9_000, 40, 0));
    long beforeMs = clock.ms;
    assertThat(run(OptionalLong.empty(), OptionalLong.of(50_000_000)).reason()).isEqualTo("idle");
    assertThat(clock.ms).isGreaterThan(beforeMs + 50);
    assertThat(last().get("elapsedMs").getAsLong()).isBetween(1_000L, beforeMs + 5 - 8_000);
  }

  @Test
  void a_job_without_rows_is_idle() throws Exception {
    assertThat(run(OptionalLong.empty(), OptionalLong.of(50_000_000)).reason()).isEqualTo("idle");
  }

  @Test
  void a_run_starts_when_the_readers_of_its_job_do() throws Exception {
    engine.looksUntilReading = 100;
    assertThat(run(OptionalLong.empty(), OptionalLong.of(50_000_000)).reason()).isEqualTo("idle");
    assertThat(startMs).isGreaterThanOrEqualTo(10_001);
    assertThat(clock.ms).isGreaterThanOrEqualTo(startMs + 50);
    assertThat(engine.looksUntilReading).isNegative();
    assertThat(delayMs).isEqualTo(FakeEngine.DELAY_MS);
  }

  @Test
  void a_job_that_does_not_end_is_not_waited_for() throws Exception {
    engine.endsWhenAsked = false;
    engine.windows.add(FakeEngine.window(9_000, 40, 0));
    assertThat(run(OptionalLong.of(40), OptionalLong.empty()).incomplete())
        .contains("the job did not end within 30000 ms");
  }

  @Test
  void a_job_that_ends_by_itself_says_why() throws Exception {
    engine.failure = Optional.of("no such table");
    assertThat(run(OptionalLong.empty(), OptionalLong.empty()).reason())
        .isEqualTo("halted: no such table");
  }
}
