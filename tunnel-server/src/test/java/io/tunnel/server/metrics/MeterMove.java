package io.tunnel.server.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What makes a meter move.
 *
 * @param steps one after the other; a gauge goes back in the last one
 */
record MeterMove(String name, List<Step> steps) {

  /** What happens to a server. */
  @FunctionalInterface
  interface Change {
    void apply(MeteredWorld world) throws Exception;
  }

  /**
   * A change and all meters that differ after it.
   *
   * @param expected the new values
   */
  record Step(Change change, Map<String, Double> expected) {}

  MeterMove {
    steps = List.copyOf(steps);
  }

  static MeterMove of(String name) {
    return new MeterMove(name, List.of());
  }

  MeterMove then(Change change, Map<String, Double> expected) {
    List<Step> more = new ArrayList<>(steps);
    more.add(new Step(change, expected));
    return new MeterMove(name, more);
  }

  /** A meter of that name, which is alone in what it shows. */
  MeterMove then(Change change, double expected) {
    return then(change, Map.of(name, expected));
  }

  static Map<String, Double> values(Object... namesAndValues) {
    Map<String, Double> values = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      values.put((String) namesAndValues[i], ((Number) namesAndValues[i + 1]).doubleValue());
    }
    return values;
  }

  static Map<String, Double> timed(String name, int count, double sum, double max) {
    return values(name + "_count", count, name + "_sum", sum, name + "_max", max);
  }

  static Map<String, Double> and(Map<String, Double> some, Object... more) {
    Map<String, Double> all = new HashMap<>(some);
    all.putAll(values(more));
    return all;
  }

  /** Up, and down to where it was. */
  static MeterMove shown(String name, Change up, double value, Change down, double start) {
    return MeterMove.of(name).then(up, value).then(down, start);
  }

  @Override
  public String toString() {
    return name;
  }
}
