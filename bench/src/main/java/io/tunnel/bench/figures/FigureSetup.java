package io.tunnel.bench.figures;

import io.tunnel.bench.children.Children;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.stress.LoadClock;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a figure is measured on: servers in processes of their own, clients, a clock.
 *
 * @param <S> one server, or the nodes of a cluster
 * @param out where the figure prints
 */
public record FigureSetup<S>(
    Children children,
    S servers,
    TableClient tables,
    TunnelClient tunnels,
    LoadClock clock,
    PrintWriter out) {

  /** The second column of the key of {@link #newTable}: an integer. */
  public static final String SEQUENCE = "sequence";

  private static final String HASH = "hash";

  /** Makes a row of {@link #put} about 200 bytes long. */
  private static final String PAYLOAD = "x".repeat(160);

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema(HASH, PrimaryKeyType.BINARY),
          new PrimaryKeySchema(SEQUENCE, PrimaryKeyType.INTEGER));
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Makes a table, every write of which is synced, and returns its partitions in key order. */
  public List<Integer> newTable(String table, int partitions) {
    return tables
        .createTable(
            new TableMeta(table, KEY, new TableOptions(Durability.FSYNC)),
            HashedKey.splitPoints(partitions))
        .partitions()
        .stream()
        .map(PartitionInfo::id)
        .toList();
  }

  /** Makes a tunnel on all changes of a table, from the first one on, and returns its id. */
  public String newTunnel(String table) {
    return tunnels
        .createTunnel(
            new CreateTunnelRequest(table, "figures", TunnelType.Stream, StreamStart.EARLIEST))
        .getTunnelId();
  }

  /** The key of a row of {@link #newTable}; {@code hash} decides the partition. */
  public static PrimaryKey key(int hash, long sequence) {
    byte[] bytes = {(byte) (hash >>> 24), (byte) (hash >>> 16), (byte) (hash >>> 8), (byte) hash};
    return PrimaryKey.builder().add(HASH, bytes).add(SEQUENCE, sequence).build();
  }

  /** Writes a row of about 200 bytes. */
  public static RowPutChange put(PrimaryKey key) {
    return put(key, PAYLOAD);
  }

  /** Writes a row with that payload. */
  public static RowPutChange put(PrimaryKey key, String payload) {
    return new RowPutChange(key, List.of(new Column("payload", ColumnValue.fromString(payload))));
  }

  /**
   * Returns when the condition holds.
   *
   * @throws IllegalStateException when the condition does not hold within {@code seconds}
   */
  public void await(String what, int seconds, BooleanSupplier condition) {
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (clock.nanos() - deadlineNanos > 0) {
        throw new IllegalStateException("not within " + seconds + " s: " + what);
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
    }
  }

  /** Waits {@code millis}. */
  public void pause(long millis) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), () -> false);
  }

  /** Prints a line of a Markdown table. */
  public void row(Object... cells) {
    String line =
        Stream.of(cells).map(Object::toString).collect(Collectors.joining(" | ", "| ", " |"));
    out.println(line);
    out.flush();
  }

  /** Prints the line below the head of a Markdown table. */
  public void rule(int columns) {
    out.println("|" + " --- |".repeat(columns));
    out.flush();
  }
}
