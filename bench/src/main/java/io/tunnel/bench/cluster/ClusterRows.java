package io.tunnel.bench.cluster;

import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Rows that figures of a cluster write, and what a row costs. */
final class ClusterRows {

  static final int SEQUENCE_INDEX = 1;
  static final double NANOS_PER_MS = 1e6;

  /** 2^32 by the golden ratio. */
  private static final int GOLDEN = 0x9E3779B9;

  private ClusterRows() {}

  /** The key of a row in the middle of the part of the hashes that a partition has. */
  static PrimaryKey keyIn(int partition, int partitions, long row) {
    return FigureSetup.key((int) (((2L * partition + 1) << 31) / partitions), row);
  }

  /** The key of a row of a table in which rows are spread evenly. */
  static PrimaryKey spread(long row) {
    return FigureSetup.key((int) row * GOLDEN, row);
  }

  /** Writes rows as fast as the servers take them; all have to be applied. */
  static void write(TableClient tables, String table, long count, LongFunction<RowChange> rows) {
    AtomicLong refused = new AtomicLong();
    try (TableWriter writer = tables.openWriter(table)) {
      for (long row = 0; row < count; row++) {
        writer.add(
            rows.apply(row),
            (change, result) -> {
              if (!result.isApplied()) {
                refused.incrementAndGet();
              }
            });
      }
    }
    if (refused.get() > 0) {
      throw new IllegalStateException(refused + " rows were not applied");
    }
  }

  /** Microseconds for each of so many rows. */
  static String microsPerRow(long nanos, long rows) {
    return tenths(nanos / 1e3 / rows);
  }

  /** Rows a second. */
  static long perSecond(long rows, long nanos) {
    return Math.round(rows * 1e9 / nanos);
  }

  /** With one digit after the point. */
  static String tenths(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
