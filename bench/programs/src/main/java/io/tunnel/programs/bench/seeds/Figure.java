package io.tunnel.programs.bench.seeds;

import java.util.Arrays;
import java.util.Optional;

/** What can be told of a case. */
enum Figure {
  /** Requests answered in a second, by all clients. */
  PER_SECOND("perSecond", "answers/s"),
  /** The mean time of a request. */
  AVERAGE_MS("averageMs", "average ms"),
  /** The shortest. */
  MIN_MS("minMs", "min ms"),
  /** The median. */
  P50_MS("p50Ms", "p50 ms"),
  /** 99 of 100 take no longer. */
  P99_MS("p99Ms", "p99 ms"),
  /** 999 of 1,000 take no longer. */
  P999_MS("p999Ms", "p99.9 ms"),
  /** The longest. */
  MAX_MS("maxMs", "max ms"),
  /** Memory of the server's process at the end of the case. */
  RESIDENT_KIB("residentKiB", "resident KiB"),
  /** Growth of the process while all clients greeted, divided by the number of clients. */
  CONNECTION_BYTES("residentBytesOfConnection", "resident bytes/connection");

  private final String column;
  private final String label;

  Figure(String column, String label) {
    this.column = column;
    this.label = label;
  }

  /** The name in files. */
  String column() {
    return column;
  }

  /** What people read. */
  String label() {
    return label;
  }

  /** The figure that files name so. */
  static Optional<Figure> named(String column) {
    return Arrays.stream(values()).filter(each -> each.column.equals(column)).findFirst();
  }
}
