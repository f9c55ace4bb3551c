package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.tunnel.server.replica.Incident;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each meter of a server and of a node is seen to move, in the right direction, by the right amount
 * and in its unit, and no other meter moves with it.
 */
final class EachMeterTest {

  static Stream<MeterMove> moves() {
    return Stream.of(
            MeterMoves.ofWrites(),
            MeterMoves.ofConnections(),
            MeterMoves.ofLocalServers(),
            MeterMoves.ofHeldMemory(),
            MeterMoves.ofRations(),
            NodeMeterMoves.ofNodes(),
            NodeMeterMoves.ofReplicas(),
            NodeMeterMoves.ofSnapshots(),
            TunnelMeterMoves.ofTunnels(),
            TunnelMeterMoves.ofPrincipals())
        .flatMap(List::stream);
  }

  /** The meters in Prometheus' format, without buckets and without what the JVM says of itself. */
  private static Map<String, Double> meters(MeteredWorld world) {
    Map<String, Double> values = new TreeMap<>();
    world
        .scrape()
        .lines()
        .filter(line -> line.startsWith("tunnel_") && !line.contains("_bucket{"))
        .forEach(
            line -> {
              int end = line.lastIndexOf(' ');
              String value = line.substring(end + 1).replace("Inf", "Infinity");
              values.put(line.substring(0, end), Double.valueOf(value));
            });
    return values;
  }

  private static Map<String, Double> changed(Map<String, Double> from, Map<String, Double> to) {
    Map<String, Double> changed = new HashMap<>();
    to.forEach(
        (name, value) -> {
          if (!value.equals(from.get(name))) {
            changed.put(name, value);
          }
        });
    return changed;
  }

  @ParameterizedTest
  @MethodSource("moves")
  void moves_as_it_should_and_alone(MeterMove move) throws Exception {
    try (MeteredWorld world = new MeteredWorld()) {
      Map<String, Double> before = meters(world);
      int at = 0;
      for (MeterMove.Step step : move.steps()) {
        step.change().apply(world);
        Map<String, Double> now = meters(world);
        assertThat(changed(before, now)).as("step %d", ++at).isEqualTo(step.expected());
        before = now;
      }
    }
  }

  /** The registry has weak references to some objects; a meter must not end with one of them. */
  @Test
  void no_meter_ends_with_an_object_that_nobody_else_holds() throws Exception {
    try (MeteredWorld world = new MeteredWorld()) {
      Map<String, Double> before = meters(world);
      System.gc();
      assertThat(meters(world)).isEqualTo(before);
      world.incidents.put(Incident.FENCED, 5L);
      assertThat(meters(world)).containsEntry("tunnel_replica_fenced_total", 5.0);
    }
  }

  @Test
  void each_meter_of_replicas_says_what_it_counts() throws Exception {
    try (MeteredWorld world = new MeteredWorld()) {
      List<String> texts =
          world.meters.registry().getMeters().stream()
              .map(Meter::getId)
              .filter(id -> id.getName().startsWith("tunnel.replica."))
              .map(Meter.Id::getDescription)
              .toList();
      assertThat(texts).hasSize(Incident.values().length).doesNotHaveDuplicates();
      assertThat(texts).allSatisfy(text -> assertThat(text).isNotBlank());
    }
  }

  /**
   * A meter without a move here does not pass. The page of each step is the former page with what
   * the step expects, as the test of the move checks.
   */
  @Test
  void every_meter_is_moved_and_each_gauge_up_and_down() throws Exception {
    Map<String, Double> start;
    try (MeteredWorld world = new MeteredWorld()) {
      start = meters(world);
    }
    assertThat(start).containsEntry(MeteredWorld.FIXED, 4_096.0);
    Set<String> all = new TreeSet<>(start.keySet());
    Set<String> risen = new TreeSet<>(Set.of(MeteredWorld.FIXED));
    Set<String> fallen = new TreeSet<>(Set.of(MeteredWorld.FIXED));
    for (MeterMove move : moves().toList()) {
      Map<String, Double> now = new HashMap<>(start);
      for (MeterMove.Step step : move.steps()) {
        step.expected()
            .forEach(
                (name, value) -> {
                  Double former = now.put(name, value);
                  if (former != null && value < former) {
                    fallen.add(name);
                  } else if (former == null || value > former) {
                    risen.add(name);
                  }
                });
        all.addAll(now.keySet());
      }
    }
    assertThat(risen).isEqualTo(all);
    assertThat(fallen).containsAll(all.stream().filter(name -> !neverFalls(name)).toList());
  }

  /** Counters, and the greatest times, which are forgotten later. */
  private static boolean neverFalls(String name) {
    return name.replaceAll("\\{.*", "").endsWith("_total")
        || name.matches("tunnel_(commit|fold|forward)_seconds_(count|sum|max).*");
  }
}
