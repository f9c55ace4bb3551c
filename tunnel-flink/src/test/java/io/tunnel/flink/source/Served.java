package io.tunnel.flink.source;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.server.config.ServerConfig;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link LocalServer} with tables whose first key column says the partition: hashes 0 to 999 are
 * in the first, and so on.
 */
final class Served implements Closeable {

  static final int HASHES_PER_PARTITION = 1_000;

  /** Small, so that retention can delete segments. */
  private static final int SEGMENT_BYTES_MAX = 1 << 16;

  private static final long RETENTION_CHECK_MS = 100;

  private final LocalServer server =
      new LocalServer(new ServerConfig.LogConfig(1, SEGMENT_BYTES_MAX, RETENTION_CHECK_MS));

  Served() throws IOException {}

  /** Stops the server. */
  void stop() throws IOException {
    server.stop();
  }

  /** Starts it where it was. */
  void restart() throws IOException {
    server.start();
  }

  String endpoint() {
    return server.endpoint();
  }

  TableClient client() {
    return server.client();
  }

  TableInfo create(String table, int partitions) {
    return create(table, partitions, new TableOptions(Durability.OS));
  }

  TableInfo create(String table, int partitions, TableOptions options) {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (long i = 1; i < partitions; i++) {
      points.add(PrimaryKeyValue.fromLong(i * HASHES_PER_PARTITION));
    }
    TableMeta meta =
        new TableMeta(
            table,
            List.of(
                new PrimaryKeySchema("hash", PrimaryKeyType.INTEGER),
                new PrimaryKeySchema("id", PrimaryKeyType.STRING)),
            options);
    return client().createTable(meta, points);
  }

  /** A row of a partition, by its index in the table. */
  static RowChange put(int partition, String id, String value) {
    return new RowPutChange(
        PrimaryKey.builder()
            .add("hash", (long) partition * HASHES_PER_PARTITION)
            .add("id", id)
            .build(),
        List.of(new Column("value", ColumnValue.fromString(value))),
        RowExistenceExpectation.IGNORE);
  }

  /** Writes rows; fails unless every row is applied. */
  void write(String table, List<RowChange> rows) {
    server.write(table, rows);
  }

  /** A figure of the server's, of all its labels together. */
  double metric(String name) {
    return server.metric(name);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
