package io.tunnel.bench.cluster;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.stress.LoadClock;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What every figure stands on: nodes and a broker in processes of their own, clients, clocks. */
record Ground(
    Children children,
    ClusterChildren cluster,
    TableClient tables,
    TunnelClient tunnels,
    LoadClock clock,
    InstantSource wall,
    PrintWriter out) {

  static final String HASH = "hash";
  static final String SEQUENCE = "sequence";
  static final int SEQUENCE_INDEX = 1;
  static final String TUNNEL = "figures";
  static final double NANOS_PER_MS = 1e6;

  /** 2^32 by the golden ratio. */
  private static final int GOLDEN = 0x9E3779B9;

  private static final String PAYLOAD = "x".repeat(160);

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema(HASH, PrimaryKeyType.BINARY),
          new PrimaryKeySchema(SEQUENCE, PrimaryKeyType.INTEGER));
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Makes a table and returns its partitions in the order of keys. */
  List<Integer> newTable(String table, int partitions) {
    return tables
        .createTable(
            new TableMeta(table, KEY, new TableOptions(Durability.FSYNC)),
            HashedKey.splitPoints(partitions))
        .partitions()
        .stream()
        .map(PartitionInfo::id)
        .toList();
  }

  /** Makes a tunnel on everything that a table ever had, and returns its id. */
  String newTunnel(String table) {
    return tunnels
        .createTunnel(
            new CreateTunnelRequest(table, TUNNEL, TunnelType.Stream, StreamStart.EARLIEST))
        .getTunnelId();
  }

  /** The key of a row in the middle of the part of the hashes that a partition has. */
  static PrimaryKey keyIn(int partition, int partitions, long row) {
    return key((int) (((2L * partition + 1) << 31) / partitions), row);
  }

  /** The key of a row. */
  static PrimaryKey key(int hash, long row) {
    byte[] bytes = {(byte) (hash >>> 24), (byte) (hash >>> 16), (byte) (hash >>> 8), (byte) hash};
    return PrimaryKey.builder().add(HASH, bytes).add(SEQUENCE, row).build();
  }

  /** The key of a row of a table in which rows are spread evenly. */
  static PrimaryKey spread(long row) {
    return key((int) row * GOLDEN, row);
  }

  /** Writes about 200 bytes. */
  static RowPutChange put(PrimaryKey key) {
    return new RowPutChange(key, List.of(new Column("payload", ColumnValue.fromString(PAYLOAD))));
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

  /** Returns when the condition holds. */
  void await(String what, int seconds, BooleanSupplier condition) {
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (clock.nanos() - deadlineNanos > 0) {
        throw new IllegalStateException("not within " + seconds + " s: " + what);
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
    }
  }

  /** Lets time pass. */
  void pause(long millis) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), () -> false);
  }

  /** A line of a table. */
  void row(Object... cells) {
    String line =
        Stream.of(cells).map(Object::toString).collect(Collectors.joining(" | ", "| ", " |"));
    out.println(line);
    out.flush();
  }

  /** The line below the head of a table. */
  void rule(int columns) {
    out.println("|" + " --- |".repeat(columns));
    out.flush();
  }

  /** Microseconds for each of so many rows. */
  static String microsPerRow(long nanos, long rows) {
    return tenths(nanos / 1e3 / rows);
  }

  /** Rows a second. */
  static long perSecond(long rows, long nanos) {
    return Math.round(rows * 1e9 / nanos);
  }

  /** With one digit behind the point. */
  static String tenths(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
