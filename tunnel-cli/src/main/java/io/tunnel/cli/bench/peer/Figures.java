package io.tunnel.cli.bench.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a round measured: numbers by name, in the order in which they are shown. */
public final class Figures {

  private final Map<String, Double> valuesByName = new LinkedHashMap<>();

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

  /** The median of each figure over at least one round. */
  public static Figures medians(List<Figures> rounds) {
    Figures medians = new Figures();
    for (String name : rounds.get(0).names()) {
      List<Double> values = new ArrayList<>(rounds.stream().map(each -> each.get(name)).toList());
      Collections.sort(values);
      int middle = values.size() / 2;
      medians.put(
          name,
          values.size() % 2 == 1
              ? values.get(middle)
              : (values.get(middle - 1) + values.get(middle)) / 2);
    }
    return medians;
  }
}
