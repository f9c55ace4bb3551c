package io.tunnel.bench.peers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a round measured: numbers by name, in the order in which they are shown. */
final class Figures {

  private final Map<String, Double> valuesByName = new LinkedHashMap<>();

  void put(String name, double value) {
    valuesByName.put(name, value);
  }

  double get(String name) {
    return valuesByName.get(name);
  }

  List<String> names() {
    return List.copyOf(valuesByName.keySet());
  }

  Map<String, Double> valuesByName() {
    return Collections.unmodifiableMap(valuesByName);
  }

  /** The median of each figure over at least one round. */
  static Figures medians(List<Figures> rounds) {
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
