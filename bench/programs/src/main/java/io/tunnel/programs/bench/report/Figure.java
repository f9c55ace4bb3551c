package io.tunnel.programs.bench.report;

import java.util.Objects;

/**
 * One number of a report.
 *
 * @param name of the JSON member; says the unit
 * @param label what people read, unit included
 * @param value the number; NaN when there is none
 */
public record Figure(String name, String label, double value) {

  /** Refuses null. */
  public Figure {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(label, "label");
  }
}
