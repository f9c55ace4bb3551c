package io.tunnel.programs.bench.peer;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.terminal.CommandFailure;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** Our service, with tables of one durability. */
public final class TunnelPeer implements TablePeer, AutoCloseable {

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("user", PrimaryKeyType.STRING),
          new PrimaryKeySchema("device", PrimaryKeyType.STRING),
          new PrimaryKeySchema("sequence", PrimaryKeyType.INTEGER));

  private final String name;
  private final Servers servers;
  private final TableOptions options;
  private final TableWriterConfig config;
  private final TableClient client;
  private volatile long rowsKept;

  /**
   * The processes of a service.
   *
   * @param endpoint where clients connect
   * @param cpuNanos processor time that its servers have used
   * @param logCpuNanos CPU time of the log, when the log is a separate process
   * @param processes servers, and their log
   */
  public record Servers(
      String endpoint, LongSupplier cpuNanos, LongSupplier logCpuNanos, int processes) {

    /** One server, which is its own log. */
    public static Servers one(String endpoint, LongSupplier cpuNanos) {
      return new Servers(endpoint, cpuNanos, () -> 0, 1);
    }
  }

  /** Writes rows of that durability to {@code servers}. */
  public TunnelPeer(String name, Servers servers, Durability durability, BatchSettings batches) {
    this(name, servers, new TableOptions(durability), batches);
  }

  /** Writes to {@code servers}, into tables of those options. */
  public TunnelPeer(String name, Servers servers, TableOptions options, BatchSettings batches) {
    this.name = name;
    this.servers = servers;
    this.options = options;
    this.config =
        TableWriterConfig.DEFAULTS
            .withBatchBytesMax(batches.tunnelBatchBytes())
            .withLinger(Duration.ofMillis(batches.lingerMs()));
    this.client = TableClient.connect(servers.endpoint());
  }

  @Override
  public String name() {
    return name;
  }

  /** Where clients connect. */
  public String endpoint() {
    return servers.endpoint();
  }

  @Override
  public void create(String table, int partitions) {
    var unused =
        client.createTable(new TableMeta(table, KEY, options), HashedKey.splitPoints(partitions));
  }

  @Override
  public void drop(String table) {
    client.dropTable(table);
  }

  @Override
  public RowWriter openWriter(String table) {
    return new Writer(client.openWriter(table, config));
  }

  @Override
  public RowReader openReader(String table, Look look, Arrivals arrivals) {
    return new TunnelReader(endpoint(), table, look, arrivals);
  }

  @Override
  public long rowsKept() {
    return rowsKept;
  }

  /** A lookup is answered when all that was acknowledged before it is in its partition's table. */
  @Override
  public void awaitKept(String table, long rows, long secondsMax) throws InterruptedException {
    rowsKept = 0;
    CompletableFuture<?>[] lookups =
        client.partitionMap(table).partitions().stream()
            .map(partition -> client.getRowAsync(table, someKey(partition)))
            .toArray(CompletableFuture<?>[]::new);
    try {
      var unused = CompletableFuture.allOf(lookups).get(secondsMax, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw CommandFailure.failed("rows of " + table + " could not be looked up: " + e);
    }
    rowsKept = rows;
  }

  /** A key of that partition, of a row that need not be there. */
  private static PrimaryKey someKey(PartitionInfo partition) {
    PrimaryKeyValue hash =
        partition.from().orElse(PrimaryKeyValue.fromBinary(new byte[HashedKey.HASH_BYTES]));
    return new PrimaryKey(
        List.of(
            new PrimaryKeyColumn("hash", hash),
            new PrimaryKeyColumn("user", PrimaryKeyValue.fromString("nobody")),
            new PrimaryKeyColumn("device", PrimaryKeyValue.fromString("none")),
            new PrimaryKeyColumn("sequence", PrimaryKeyValue.fromLong(0))));
  }

  /** As far as rows can be counted one by one in a moment. */
  @Override
  public void requireKept(String table, long rows) {
    List<PartitionFigures> figures =
        client.describeTable(table).partitions().stream()
            .map(partition -> partition.figures().orElseThrow())
            .toList();
    long kept = figures.stream().mapToLong(PartitionFigures::rowCount).sum();
    if (kept != rows && figures.stream().allMatch(PartitionFigures::rowCountIsExact)) {
      throw CommandFailure.failed("our table has " + kept + " of " + rows + " rows");
    }
  }

  @Override
  public OptionalLong serverCpuNanos() {
    return OptionalLong.of(servers.cpuNanos().getAsLong());
  }

  @Override
  public long logCpuNanos() {
    return servers.logCpuNanos().getAsLong();
  }

  @Override
  public int processes() {
    return servers.processes();
  }

  @Override
  public void close() {
    client.close();
  }

  private static RowPutChange change(SourceRow row) {
    PrimaryKey key =
        PrimaryKey.builder()
            .add("hash", row.hash().toByteArray())
            .add("user", row.user())
            .add("device", row.device())
            .add("sequence", row.sequence())
            .build();
    return new RowPutChange(
        key,
        List.of(
            new Column("payload", ColumnValue.fromString(row.payload())),
            new Column("amount", ColumnValue.fromLong(row.amount()))));
  }

  private record Writer(TableWriter writer) implements RowWriter {

    @Override
    public void add(SourceRow row, Acknowledged acknowledged) {
      long sequence = row.sequence();
      writer.add(
          change(row), (written, result) -> acknowledged.completed(sequence, result.isApplied()));
    }

    @Override
    public void flush() {
      writer.flush();
    }

    @Override
    public void close() {
      writer.close();
    }
  }
}
