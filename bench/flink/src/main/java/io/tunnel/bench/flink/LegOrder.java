package io.tunnel.bench.flink;

import io.tunnel.programs.bench.peer.Look;
import java.util.Objects;

/**
 * What a {@link LegMain} is to measure.
 *
 * @param reader who reads
 * @param look how closely
 * @param table from where, and what must come
 * @param pace how long
 * @param parallelism of the job; a worker has its defaults
 */
record LegOrder(Reader reader, Look look, Table table, Pace pace, int parallelism) {

  /**
   * A table or a topic, and what is in it.
   *
   * @param endpoint of our server or of the broker
   * @param name of the table or the topic
   * @param rows in it
   * @param amounts what their integer attributes add up to
   */
  record Table(String endpoint, String name, long rows, long amounts) {
    Table {
      Objects.requireNonNull(endpoint, "endpoint");
      Objects.requireNonNull(name, "name");
      if (rows < 1) {
        throw new IllegalArgumentException("a table has rows to read, not " + rows);
      }
    }
  }

  /**
   * The table is read again and again.
   *
   * @param warmSeconds until passes count; at least one does not
   * @param seconds for which passes begin that count; at least one does
   */
  record Pace(int warmSeconds, int seconds) {
    Pace {
      if (warmSeconds < 0 || seconds < 0) {
        throw new IllegalArgumentException("times are at least 0");
      }
    }
  }

  LegOrder {
    Objects.requireNonNull(reader, "reader");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(pace, "pace");
    if (look != Look.COUNT && look != Look.DECODE) {
      throw new IllegalArgumentException("rows are counted or decoded, not " + look);
    }
    if (parallelism < 1) {
      throw new IllegalArgumentException("parallelism is at least 1, not " + parallelism);
    }
  }
}
