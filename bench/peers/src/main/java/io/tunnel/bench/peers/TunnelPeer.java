package io.tunnel.bench.peers;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.stress.StressTable;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Our server, with tables of one durability. */
final class TunnelPeer implements Peer, AutoCloseable {

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("user", PrimaryKeyType.STRING),
          new PrimaryKeySchema("device", PrimaryKeyType.STRING),
          new PrimaryKeySchema("sequence", PrimaryKeyType.INTEGER));

  private final TunnelServerChild server;
  private final Durability durability;
  private final TableWriterConfig config;
  private final TableClient client;

  TunnelPeer(TunnelServerChild server, Durability durability, BatchSettings batches) {
    this.server = server;
    this.durability = durability;
    this.config =
        TableWriterConfig.DEFAULTS
            .withBatchBytesMax(batches.tunnelBatchBytes())
            .withLinger(Duration.ofMillis(batches.lingerMs()));
    this.client = TableClient.connect(server.endpoint());
  }

  @Override
  public String name() {
    return "tunnel " + durability.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void create(String table, int partitions) {
    var unused =
        client.createTable(
            new TableMeta(table, KEY, new TableOptions(durability)),
            StressTable.splitPoints(partitions));
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
    return new TunnelReader(server.endpoint(), table, look, arrivals);
  }

  @Override
  public long serverCpuNanos() {
    return server.cpuNanos();
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
