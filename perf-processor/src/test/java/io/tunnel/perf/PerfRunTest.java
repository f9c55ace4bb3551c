package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class PerfRunTest {

  private static final long SECOND = 1_000_000_000L;

  /** A clock that a pause turns, and that lets something happen at each of its times. */
  private static final class FakeClock implements RunClock {
    long nanos = 3 * SECOND;
    long cpuNanos;
    long stopAtNanos = Long.MAX_VALUE;
    LongConsumer onPause = now -> {};

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long epochMs() {
      return nanos / 1_000_000;
    }

    @Override
    public long cpuNanos() {
      return cpuNanos;
    }

    @Override
    public long heapUsedBytes() {
      return 64_000_000;
    }

    @Override
    public boolean pause(long ms) {
      nanos += ms * 1_000_000;
      cpuNanos += ms * 500_000;
      onPause.accept(nanos);
      return nanos >= stopAtNanos;
    }
  }

  private static final class FakeWorkers implements PerfRun.Workers {
    final List<String> calls = new ArrayList<>();
    final List<TunnelWorkerStatus> status = new ArrayList<>();
    RuntimeException startFailure;
    Runnable onShutdown = () -> {};

    FakeWorkers(TunnelWorkerStatus.State... states) {
      for (TunnelWorkerStatus.State state : states) {
        status.add(
            new TunnelWorkerStatus(
                state,
                Optional.empty(),
                List.of(),
                new TunnelWorkerStatus.Counters(0, 0, 0, 0, 0, 0),
                Optional.of("tunnel deleted")));
      }
    }

    @Override
    public void start() {
      calls.add("start");
      if (startFailure != null) {
        throw startFailure;
      }
    }

    @Override
    public void shutdown() {
      calls.add("shutdown");
      onShutdown.run();
    }

    @Override
    public List<TunnelWorkerStatus> status() {
      return status;
    }
  }

  private static final OptionalLong NEVER = OptionalLong.empty();
  private final FakeClock clock = new FakeClock();
  private final PerfMeter meter = new PerfMeter();
  private final List<JsonObject> lines = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private Optional<Standstill> standstill = Optional.empty();
  private final PerfRun.Standstills standstills =
      new PerfRun.Standstills() {
        @Override
        public Optional<Standstill> seen() {
          return standstill;
        }

        @Override
        public Optional<Standstill> now() {
          return standstill;
        }
      };
  private final FakeWorkers workers =
      new FakeWorkers(
          TunnelWorkerStatus.State.WORKER_HALT, TunnelWorkerStatus.State.WORKER_STARTED);

  private PerfRun run(long intervalNanos, boolean isPerChannel) {
    return new PerfRun(
        meter,
        clock,
        new PerfRun.Report(
            intervalNanos,
            isPerChannel,
            line -> lines.add(JsonParser.parseString(line.json()).getAsJsonObject()),
            remarks::add),
        standstills);
  }

  private StopCore stop(OptionalLong rows, OptionalLong duration, OptionalLong idle) {
    return new StopCore(clock.nanos, rows, duration, idle);
  }

  @Test
  void a_line_per_interval_and_a_summary_say_rates_latency_and_cost() throws InterruptedException {
    // 10 rows every 20 ms, each 3 ms old: 500 rows/s.
    clock.onPause = now -> meter.count(Inputs.of("7_x", 10, 0, 0), 3_000);
    String reason =
        run(2 * SECOND, false).consume(workers, stop(NEVER, OptionalLong.of(5 * SECOND), NEVER));
    assertThat(reason).isEqualTo("duration");
    assertThat(workers.calls).containsExactly("start", "shutdown");
    assertThat(lines).hasSize(3);
    JsonObject first = lines.get(0);
    assertThat(first.get("kind").getAsString()).isEqualTo("interval");
    assertThat(first.get("timestampMs").getAsLong()).isEqualTo(5_000);
    assertThat(first.get("elapsedMs").getAsDouble()).isEqualTo(2_000);
    assertThat(first.get("rowsPerSecond").getAsLong()).isEqualTo(500);
    assertThat(first.get("rows").getAsLong()).isEqualTo(1_000);
    assertThat(first.get("bytesPerSecond").getAsLong())
        .isEqualTo(50 * Inputs.of("7_x", 10, 0, 0).byteCount());
    assertThat(first.get("latencyP99Ms").getAsDouble()).isBetween(2.99, 3.01);
    assertThat(first.get("coresUsed").getAsDouble()).isEqualTo(0.5);
    assertThat(first.get("cpuSecondsPerMillionRows").getAsDouble()).isEqualTo(1_000);
    assertThat(first.get("heapUsedBytes").getAsLong()).isEqualTo(64_000_000);
    assertThat(first.has("rowsPerSecondByChannel")).isFalse();
    assertThat(first.has("aheadOfClock")).isFalse();
    assertThat(lines.get(1).get("rowsPerSecond").getAsLong()).isEqualTo(500);
    JsonObject summary = lines.get(2);
    assertThat(summary.get("kind").getAsString()).isEqualTo("summary");
    assertThat(summary.get("stoppedBy").getAsString()).isEqualTo("duration");
    assertThat(summary.get("rows").getAsLong()).isEqualTo(2_500);
    assertThat(summary.get("rowsPerSecond").getAsLong()).isEqualTo(500);
    assertThat(summary.get("elapsedMs").getAsDouble()).isEqualTo(5_000);
  }

  @Test
  void channels_are_told_apart_when_asked_for() throws InterruptedException {
    clock.onPause =
        now -> {
          meter.count(Inputs.of("1_a", 10, 0, 0), 0);
          meter.count(Inputs.of("2_b", 30, 0, 0), 0);
        };
    run(SECOND, true).consume(workers, stop(NEVER, OptionalLong.of(2 * SECOND), NEVER));
    JsonObject channels = lines.get(0).getAsJsonObject("rowsPerSecondByChannel");
    assertThat(channels.get("1_a").getAsLong()).isEqualTo(500);
    assertThat(channels.get("2_b").getAsLong()).isEqualTo(1_500);
  }

  @Test
  void a_late_line_does_not_make_the_next_ones_late_and_none_is_printed_twice()
      throws InterruptedException {
    clock.onPause =
        now -> {
          if (now == 3 * SECOND + 20_000_000) {
            clock.nanos += 3 * SECOND + SECOND / 2; // The process was frozen.
          }
        };
    run(SECOND, false).consume(workers, stop(NEVER, OptionalLong.of(6 * SECOND), NEVER));
    assertThat(lines.stream().map(line -> line.get("timestampMs").getAsLong()))
        .containsExactly(6_520L, 7_000L, 8_000L, 9_000L);
  }

  @Test
  void it_ends_by_rows_idleness_or_signal_and_always_gracefully() throws InterruptedException {
    clock.onPause = now -> meter.count(Inputs.of("c", 10, 0, 0), 0);
    assertThat(run(SECOND, false).consume(workers, stop(OptionalLong.of(95), NEVER, NEVER)))
        .isEqualTo("rows");
    clock.onPause = now -> {};
    assertThat(run(SECOND, false).consume(workers, stop(NEVER, NEVER, OptionalLong.of(SECOND))))
        .isEqualTo("idle");
    clock.stopAtNanos = clock.nanos + 5 * SECOND;
    assertThat(run(SECOND, false).consume(workers, stop(NEVER, NEVER, NEVER))).isEqualTo("signal");
    assertThat(workers.calls)
        .containsExactly("start", "shutdown", "start", "shutdown", "start", "shutdown");
  }

  @Test
  void neither_the_wait_that_ends_an_idle_run_nor_the_shutdown_is_part_of_its_rate()
      throws InterruptedException {
    // 10 rows every 20 ms for 2 s; the workers take 10 s to shut down.
    long lastNanos = clock.nanos + 2 * SECOND;
    clock.onPause =
        now -> {
          if (now <= lastNanos) {
            meter.count(Inputs.of("7_x", 10, 0, 0), 3_000);
          }
        };
    workers.onShutdown = () -> clock.nanos += 10 * SECOND;
    String reason =
        run(60 * SECOND, false).consume(workers, stop(NEVER, NEVER, OptionalLong.of(5 * SECOND)));
    assertThat(reason).isEqualTo("idle");
    JsonObject summary = lines.get(0);
    assertThat(summary.get("rows").getAsLong()).isEqualTo(1_000);
    assertThat(summary.get("elapsedMs").getAsLong()).isEqualTo(2_000);
    assertThat(summary.get("rowsPerSecond").getAsLong()).isEqualTo(500);
    assertThat(summary.get("coresUsed").getAsDouble()).isEqualTo(0.5);
    clock.onPause = now -> {};
    run(60 * SECOND, false).consume(workers, stop(NEVER, OptionalLong.of(SECOND), NEVER));
    assertThat(lines.get(1).get("elapsedMs").getAsLong()).as("without 10 s").isEqualTo(1_000);
  }

  @Test
  void what_keeps_a_tunnel_from_going_on_is_said_once_and_the_run_waits() throws Exception {
    standstill = Optional.of(new Standstill(false, "paused"));
    clock.onPause =
        now -> {
          if (now == 5 * SECOND) {
            standstill = Optional.empty();
            meter.count(Inputs.of("c", 10, 0, 0), 0);
          }
        };
    assertThat(run(SECOND, false).consume(workers, stop(OptionalLong.of(10), NEVER, NEVER)))
        .isEqualTo("rows");
    assertThat(remarks).containsExactly("paused");
  }

  @Test
  void a_run_that_is_idle_because_of_an_operator_says_so_and_one_that_is_done_does_not()
      throws Exception {
    standstill = Optional.of(new Standstill(false, "paused"));
    assertThat(run(SECOND, false).consume(workers, stop(NEVER, NEVER, OptionalLong.of(SECOND))))
        .isEqualTo("standstill");
    standstill = Optional.of(new Standstill(true, "ended"));
    assertThat(run(SECOND, false).consume(workers, stop(NEVER, NEVER, OptionalLong.of(SECOND))))
        .isEqualTo("idle");
    assertThat(remarks).containsExactly("paused", "ended");
  }

  @Test
  void a_run_whose_workers_have_no_session_is_not_done_when_it_is_idle() throws Exception {
    FakeWorkers cutOff = new FakeWorkers();
    cutOff.status.add(searching(Phase.PAUSING));
    cutOff.status.add(searching(Phase.CONNECTING));
    assertThat(run(SECOND, false).consume(cutOff, stop(NEVER, NEVER, OptionalLong.of(SECOND))))
        .isEqualTo("disconnected: refused");
    cutOff.status.set(1, searching(Phase.WORKING));
    assertThat(run(SECOND, false).consume(cutOff, stop(NEVER, NEVER, OptionalLong.of(SECOND))))
        .isEqualTo("idle");
  }

  private static TunnelWorkerStatus searching(Phase phase) {
    return new TunnelWorkerStatus(
        TunnelWorkerStatus.State.WORKER_STARTED,
        Optional.empty(),
        List.of(),
        new TunnelWorkerStatus.Counters(0, 0, 0, 0, 0, 0),
        Optional.of("refused"),
        new TunnelWorkerStatus.Activity(phase, 0));
  }

  @Test
  void it_ends_when_no_worker_works_any_more() throws InterruptedException {
    FakeWorkers halted = new FakeWorkers(TunnelWorkerStatus.State.WORKER_HALT);
    assertThat(run(SECOND, false).consume(halted, stop(NEVER, NEVER, NEVER)))
        .isEqualTo("halted: tunnel deleted");
  }

  @Test
  void workers_are_shut_down_also_when_they_cannot_start() {
    workers.startFailure = new IllegalStateException("no server");
    assertThatThrownBy(() -> run(SECOND, false).consume(workers, stop(NEVER, NEVER, NEVER)))
        .hasMessage("no server");
    assertThat(workers.calls).containsExactly("start", "shutdown");
  }
}
