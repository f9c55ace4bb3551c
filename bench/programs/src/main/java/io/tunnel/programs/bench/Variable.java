package io.tunnel.programs.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What {@code bench growth} changes, one thing at a time. */
enum Variable {
  /** Partitions of the table that is written and read. */
  PARTITIONS("partitions", "partitions", 1, 1_024),
  /** Tunnels on one table, each read by a worker while rows are written. */
  TUNNELS("tunnels", "tunnels on one table", 1, 256),
  /** Workers of one tunnel. */
  WORKERS("workers", "workers of one tunnel", 1, 64),
  /** Bytes of a row. */
  ROW_BYTES("rowBytes", "bytes of a row", 64, 64 * 1024),
  /** Keys that are in the table, and written again. */
  KEYS("keys", "keys in the table", 1_000, 1_000_000_000),
  /** Bytes of changes that a tunnel begins with. */
  BACKLOG("backlogBytes", "bytes of backlog", 1L << 20, 1L << 40);

  private final String member;
  private final String label;
  private final long min;
  private final long max;

  Variable(String member, String label, long min, long max) {
    this.member = member;
    this.label = label;
    this.min = min;
    this.max = max;
  }

  /** Of the JSON object; says the unit. */
  String member() {
    return member;
  }

  /** For people. */
  String label() {
    return label;
  }

  /** The smallest value that can be asked for. */
  long min() {
    return min;
  }

  /** The largest value that can be asked for. */
  long max() {
    return max;
  }

  /** As it is written on the command line. */
  String optionName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<Variable> named(String text) {
    return Arrays.stream(values())
        .filter(each -> each.optionName().equals(text.toLowerCase(Locale.ROOT)))
        .findFirst();
  }

  static List<String> names() {
    return Arrays.stream(values()).map(Variable::optionName).toList();
  }
}
