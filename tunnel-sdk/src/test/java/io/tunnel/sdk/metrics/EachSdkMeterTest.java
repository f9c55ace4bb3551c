package io.tunnel.sdk.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tunnel.sdk.RowResult.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each meter of the SDK is seen to move, by the right amount and in its unit, and no other meter
 * moves with it.
 */
final class EachSdkMeterTest {

  private static final String TUNNEL = "t1";

  /**
   * A call and each figure that differs after the call, as {@code name} or {@code name#statistic}.
   */
  private record Step(Consumer<SdkMeter> call, Map<String, Double> changed) {}

  private record Move(String name, List<Step> steps) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Step step(Consumer<SdkMeter> call, Object... namesAndValues) {
    Map<String, Double> changed = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      changed.put((String) namesAndValues[i], ((Number) namesAndValues[i + 1]).doubleValue());
    }
    return new Step(call, changed);
  }

  private static Move move(String name, Step... steps) {
    return new Move(name, List.of(steps));
  }

  /** A counter of occurrences. */
  private static Move counted(String name, Consumer<SdkMeter> call) {
    return move(name, step(call, name, 1), step(call, name, 2));
  }

  /** A timer, in seconds. */
  private static Move timed(String name, Consumer<SdkMeter> oneAndAHalf, Consumer<SdkMeter> half) {
    return move(
        name,
        step(oneAndAHalf, name + "#count", 1, name + "#total", 1.5, name + "#max", 1.5),
        step(half, name + "#count", 2, name + "#total", 2));
  }

  static Stream<Move> moves() {
    return Stream.concat(ofClients(), ofWorkers());
  }

  private static Stream<Move> ofClients() {
    Stream<Move> rows =
        Stream.of(Outcome.values())
            .map(
                outcome -> {
                  String name = "tunnel.writer.rows{outcome=" + outcome + "}";
                  return move(
                      name,
                      step(meter -> meter.rows(outcome, 5), name, 5),
                      step(meter -> meter.rows(outcome, 2), name, 7));
                });
    return Stream.concat(
        rows,
        Stream.of(
            counted("tunnel.client.connections.opened", SdkMeter::connected),
            counted("tunnel.client.connections.failed", SdkMeter::connectFailed),
            move(
                "batches",
                step(
                    meter -> meter.batchSent(3, 700),
                    "tunnel.writer.batches",
                    1,
                    "tunnel.writer.bytes",
                    700,
                    "tunnel.writer.inflight",
                    1),
                step(
                    meter -> meter.batchSent(1, 10),
                    "tunnel.writer.batches",
                    2,
                    "tunnel.writer.bytes",
                    710,
                    "tunnel.writer.inflight",
                    2),
                step(
                    meter -> meter.batchOver(1_500_000_000),
                    "tunnel.writer.latency#count",
                    1,
                    "tunnel.writer.latency#total",
                    1.5,
                    "tunnel.writer.latency#max",
                    1.5,
                    "tunnel.writer.inflight",
                    1),
                step(
                    meter -> meter.batchOver(500_000_000),
                    "tunnel.writer.latency#count",
                    2,
                    "tunnel.writer.latency#total",
                    2,
                    "tunnel.writer.inflight",
                    0))));
  }

  private static String of(String name) {
    return name + "{tunnel=" + TUNNEL + "}";
  }

  private static Stream<Move> ofWorkers() {
    String changes = of("tunnel.worker.changes");
    String bytes = of("tunnel.worker.bytes");
    String until = of("tunnel.worker.processed.until");
    String channels = of("tunnel.worker.channels");
    return Stream.of(
        counted(of("tunnel.worker.sessions.opened"), meter -> meter.sessionOpened(TUNNEL)),
        counted(of("tunnel.worker.sessions.lost"), meter -> meter.sessionLost(TUNNEL)),
        counted(of("tunnel.worker.failures"), meter -> meter.failed(TUNNEL)),
        counted(of("tunnel.worker.retries"), meter -> meter.retried(TUNNEL)),
        counted(of("tunnel.worker.skipped"), meter -> meter.skipped(TUNNEL)),
        counted(of("tunnel.worker.stopped"), meter -> meter.stopped(TUNNEL)),
        timed(
            of("tunnel.worker.callback"),
            meter -> meter.called(TUNNEL, 1_500_000_000),
            meter -> meter.called(TUNNEL, 500_000_000)),
        timed(
            of("tunnel.worker.checkpoint"),
            meter -> meter.checkpointed(TUNNEL, 1_500_000_000),
            meter -> meter.checkpointed(TUNNEL, 500_000_000)),
        move(
            channels,
            step(meter -> meter.channelsHeld(TUNNEL, 5), channels, 5),
            step(meter -> meter.channelsHeld(TUNNEL, 2), channels, 2),
            step(meter -> meter.channelsHeld(TUNNEL, 0), channels, 0)),
        move(
            "processed",
            step(
                meter -> meter.processed(TUNNEL, 3, 700, 2_500_000),
                changes,
                3,
                bytes,
                700,
                until,
                2.5),
            // Of a channel that is farther behind.
            step(meter -> meter.processed(TUNNEL, 1, 10, 1_000_000), changes, 4, bytes, 710),
            step(
                meter -> meter.processed(TUNNEL, 1, 10, 3_000_000),
                changes,
                5,
                bytes,
                720,
                until,
                3)));
  }

  private final SimpleMeterRegistry registry =
      new SimpleMeterRegistry(SimpleConfig.DEFAULT, new MockClock());
  private final SdkMeter meter = new MicrometerMeter(registry);

  /** All figures of the registry; a timer has three. */
  private Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    for (Meter each : registry.getMeters()) {
      boolean isTimer = each.getId().getType() == Meter.Type.TIMER;
      for (Measurement one : each.measure()) {
        String statistic = isTimer ? "#" + one.getStatistic().getTagValueRepresentation() : "";
        figures.put(name(each.getId()) + statistic, one.getValue());
      }
    }
    return figures;
  }

  private static String name(Meter.Id id) {
    return id.getTags().isEmpty()
        ? id.getName()
        : id.getTags().stream()
            .map(tag -> tag.getKey() + "=" + tag.getValue())
            .collect(Collectors.joining(",", id.getName() + "{", "}"));
  }

  @ParameterizedTest
  @MethodSource("moves")
  void moves_as_it_should_and_alone(Move move) {
    // The first call for a tunnel registers the meters of its workers.
    meter.channelsHeld(TUNNEL, 0);
    Map<String, Double> before = figures();
    int at = 0;
    for (Step step : move.steps()) {
      step.call().accept(meter);
      Map<String, Double> now = figures();
      Map<String, Double> changed = new HashMap<>(now);
      before.forEach(changed::remove);
      assertThat(changed).as("step %d", ++at).isEqualTo(step.changed());
      before = now;
    }
  }

  /** A meter without a move here does not pass. */
  @Test
  void every_meter_is_moved() {
    meter.channelsHeld(TUNNEL, 0);
    Set<String> moved = new TreeSet<>();
    moves()
        .flatMap(move -> move.steps().stream())
        .forEach(one -> moved.addAll(one.changed().keySet()));
    assertThat(moved).isEqualTo(figures().keySet());
  }

  @Test
  void each_tunnel_has_figures_of_its_own() {
    meter.channelsHeld("t1", 5);
    meter.channelsHeld("t2", 3);
    meter.skipped("t2");
    assertThat(figures())
        .containsEntry("tunnel.worker.channels{tunnel=t1}", 5.0)
        .containsEntry("tunnel.worker.channels{tunnel=t2}", 3.0)
        .containsEntry("tunnel.worker.skipped{tunnel=t1}", 0.0)
        .containsEntry("tunnel.worker.skipped{tunnel=t2}", 1.0);
  }
}
