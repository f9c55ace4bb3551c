package io.tunnel.programs.bench.peer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a round measured: numbers by name, in the order in which they are shown. */
public final class Figures {

  private final Map<String, Double> valuesByName = new LinkedHashMap<>();

  /** A copy of these. */
  public static Figures of(Map<String, Double> valuesByName) {
    Figures figures = new Figures();
    valuesByName.forEach(figures::put);
    return figures;
  }

  /** Adds a figure, or replaces the one of that name. */
  public void put(String name, double value) {
    valuesByName.put(name, value);
  }

  /** A figure that was put. */
  public double get(String name) {
    return valuesByName.get(name);
  }

  /** In the order in which they were put. */
  public List<String> names() {
    return List.copyOf(valuesByName.keySet());
  }

  /** All, in their order. */
  public Map<String, Double> valuesByName() {
    return Collections.unmodifiableMap(valuesByName);
  }

  /**
   * The median of each figure over the rounds that have a number for it, of which there is at least
   * one round; NaN when none has.
   */
  public static Figures medians(List<Figures> rounds) {
    Figures medians = new Figures();
    for (String name : rounds.get(0).names()) {
      medians.put(name, median(rounds.stream().map(each -> each.get(name)).toList()));
    }
    return medians;
  }

  /** The median of the numbers among them; NaN when there is none. */
  public static double median(List<Double> values) {
    List<Double> sorted = values.stream().filter(value -> !value.isNaN()).sorted().toList();
    int middle = sorted.size() / 2;
    if (sorted.isEmpty()) {
      return Double.NaN;
    }
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
