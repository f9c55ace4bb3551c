package io.tunnel.bench.flink;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The counts of this process. Static, because Flink copies a schema by serialization: a task can
 * reach only static state of this program.
 */
final class Counts {

  private static final Map<String, RowCount> OPEN = new ConcurrentHashMap<>();

  private Counts() {}

  static void open(String name, RowCount count) {
    if (OPEN.putIfAbsent(name, count) != null) {
      throw new IllegalStateException("there is a count " + name + " already");
    }
  }

  static void close(String name) {
    OPEN.remove(name);
  }

  /** A task's share of a count that is open. */
  static RowTally tally(String name) {
    return Optional.ofNullable(OPEN.get(name))
        .map(RowCount::tally)
        .orElseThrow(() -> new IllegalStateException("there is no count " + name));
  }
}
