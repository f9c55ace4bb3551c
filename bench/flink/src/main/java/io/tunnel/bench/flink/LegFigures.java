package io.tunnel.bench.flink;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a leg tells.
 *
 * @param rowsRead rows of all passes, also of the warm-up; divides the CPU time of a server
 * @param passes that count
 * @param figures by name, in the order in which they are shown
 */
record LegFigures(long rowsRead, int passes, Map<String, Double> figures) {
  LegFigures {
    if (rowsRead < 1 || passes < 1) {
      throw new IllegalArgumentException("a leg has read something");
    }
    figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
  }
}
