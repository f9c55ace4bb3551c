package io.tunnel.sdk;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.wire.Control.TableDescription;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tables and their rows. Thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class TableClient implements AutoCloseable {

  private final ClientConfig config;

  private TableClient(ClientConfig config) {
    this.config = config;
  }

  /** Connects to the server at {@code endpoint}. */
  public static TableClient connect(String endpoint) {
    return connect(ClientConfig.of(endpoint));
  }

  /** Connects. */
  public static TableClient connect(ClientConfig config) {
    return new TableClient(config);
  }

  /** Creates a table. */
  public TableDescription createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    throw new UnsupportedOperationException(meta.toString() + splitPoints);
  }

  /** A table with its partitions. */
  public TableDescription describeTable(String table) {
    throw new UnsupportedOperationException(table);
  }

  /** All tables, by name. */
  public List<String> listTables() {
    throw new UnsupportedOperationException(config.toString());
  }

  /** Drops a table. */
  public void dropTable(String table) {
    throw new UnsupportedOperationException(table);
  }

  /** A row by its key. */
  public Optional<Row> getRow(String table, PrimaryKey key) {
    throw new UnsupportedOperationException(table + key);
  }

  /** The rows of a range. */
  public RowRange getRange(String table, RangeQuery query) {
    throw new UnsupportedOperationException(table + query);
  }

  /** Writes rows and waits for what became of each. */
  public BatchWriteResult write(String table, List<RowChange> rows) {
    throw new UnsupportedOperationException(table + rows);
  }

  /** Writes rows. */
  public CompletableFuture<BatchWriteResult> writeAsync(String table, List<RowChange> rows) {
    throw new UnsupportedOperationException(table + rows);
  }

  /** Opens a buffered writer. */
  public TableWriter openWriter(String table, TableWriterConfig writerConfig) {
    throw new UnsupportedOperationException(table + writerConfig);
  }

  @Override
  public void close() {}
}
