package io.tunnel.flink.table;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.sink.RejectedRows;
import io.tunnel.flink.sink.TunnelSink;
import io.tunnel.flink.sink.TunnelSinkBuilder;
import io.tunnel.flink.sink.WriteDurability;
import io.tunnel.flink.table.row.KeyedDelete;
import io.tunnel.flink.table.row.RowDataChanges;
import io.tunnel.flink.table.row.RowDataChanges.Upserts;
import io.tunnel.flink.table.row.TableLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.RowLevelModificationScanContext;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsDeletePushDown;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate;
import org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * A table as a target of SQL. An upsert changelog becomes puts (or updates) and deletes by key. In
 * batch mode, DELETE and UPDATE find their rows by a scan and write only the named columns; a
 * DELETE by a whole key needs no scan.
 */
final class TunnelTableSink
    implements DynamicTableSink,
        SupportsTargetColumnWriting,
        SupportsDeletePushDown,
        SupportsRowLevelDelete,
        SupportsRowLevelUpdate {

  private final TunnelOptions table;
  private final ResolvedSchema schema;
  private final ReadableConfig options;
  private final TableLayout stored;

  /** The conversion of incoming rows; depends on the statement. */
  private Statement statement;

  private Optional<KeyedDelete> keyedDelete = Optional.empty();

  /**
   * The rows of a statement.
   *
   * @param rows the layout of the rows
   * @param upserts the kind of change for rows that are not deleted
   * @param written the indexes of the attributes to write
   */
  private record Statement(TableLayout rows, Upserts upserts, List<Integer> written) {
    Statement {
      written = List.copyOf(written);
    }
  }

  TunnelTableSink(
      TunnelOptions table, ResolvedSchema schema, TableLayout stored, ReadableConfig options) {
    this.table = table;
    this.schema = schema;
    this.stored = stored;
    this.options = options;
    if (stored.keyIndexes().isEmpty()) {
      throw new ValidationException(
          "table '"
              + table.table()
              + "' can be written only with its key: declare PRIMARY KEY (...) NOT ENFORCED");
    }
    this.statement = new Statement(stored, upserts(), stored.attributeIndexes());
  }

  private Upserts upserts() {
    return options.get(TunnelConnectorOptions.SINK_WRITE_MODE) == WriteMode.PUT
        ? Upserts.PUT
        : Upserts.UPDATE;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    return ChangelogMode.upsert();
  }

  @Override
  public boolean applyTargetColumns(int[][] targetColumns) {
    if (upserts() == Upserts.PUT) {
      return false;
    }
    List<Integer> written = new ArrayList<>();
    for (int[] path : targetColumns) {
      if (!stored.isKey(path[0])) {
        written.add(path[0]);
      }
    }
    statement = new Statement(stored, Upserts.UPDATE, written);
    return true;
  }

  @Override
  public boolean applyDeleteFilters(List<ResolvedExpression> filters) {
    keyedDelete = KeyedDelete.of(table, stored, durability(), filters);
    return keyedDelete.isPresent();
  }

  @Override
  public Optional<Long> executeDeletion() {
    keyedDelete
        .orElseThrow(() -> new IllegalStateException("no filters of a whole key were accepted"))
        .execute();
    return Optional.empty();
  }

  @Override
  public RowLevelDeleteInfo applyRowLevelDelete(RowLevelModificationScanContext scan) {
    TableLayout keys = stored.project(stored.keyIndexes());
    statement = new Statement(keys, Upserts.PUT, List.of());
    List<Column> required = columns(keys);
    return new RowLevelDeleteInfo() {
      @Override
      public Optional<List<Column>> requiredColumns() {
        return Optional.of(required);
      }
    };
  }

  @Override
  public RowLevelUpdateInfo applyRowLevelUpdate(
      List<Column> updatedColumns, RowLevelModificationScanContext scan) {
    Set<String> updated = updatedColumns.stream().map(Column::getName).collect(Collectors.toSet());
    for (int index : stored.keyIndexes()) {
      String key = stored.fields().get(index).name();
      if (updated.contains(key)) {
        throw new ValidationException(
            "column '"
                + key
                + "' belongs to the PRIMARY KEY of table '"
                + table.table()
                + "', which an UPDATE cannot change: DELETE the row, and INSERT another");
      }
    }
    List<Integer> wanted = new ArrayList<>(stored.keyIndexes());
    for (int i = 0; i < stored.fields().size(); i++) {
      if (updated.contains(stored.fields().get(i).name())) {
        wanted.add(i);
      }
    }
    TableLayout rows = stored.project(wanted);
    statement = new Statement(rows, Upserts.UPDATE_EXISTING, rows.attributeIndexes());
    List<Column> required = columns(rows);
    return new RowLevelUpdateInfo() {
      @Override
      public Optional<List<Column>> requiredColumns() {
        return Optional.of(required);
      }
    };
  }

  private List<Column> columns(TableLayout rows) {
    return rows.fields().stream()
        .map(field -> schema.getColumn(field.name()).orElseThrow())
        .toList();
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context planning) {
    if (statement.upserts() != Upserts.PUT && statement.written().isEmpty()) {
      throw new ValidationException(
          "an INSERT with 'sink.write-mode' = 'update' names at least one column that is not in the"
              + " PRIMARY KEY");
    }
    TunnelSinkBuilder<RowData> sink =
        TunnelSink.builder(
                new RowDataChanges(statement.rows(), statement.upserts(), statement.written()))
            .endpoint(table.endpoint())
            .table(table.table())
            .batchBytesMax(bytes(options.get(TunnelConnectorOptions.SINK_BATCH_BYTES_MAX)))
            .bufferBytesMax(options.get(TunnelConnectorOptions.SINK_BUFFER_BYTES_MAX).getBytes())
            .linger(options.get(TunnelConnectorOptions.SINK_LINGER))
            .durability(durability())
            .rejectedRows(rejected())
            .repeatAttemptsMax(options.get(TunnelConnectorOptions.SINK_REPEAT_ATTEMPTS_MAX));
    if (statement.upserts() == Upserts.UPDATE_EXISTING) {
      // An attempt updates each row once. A second attempt would read updated rows.
      sink = sink.withConditions().withoutRestarts();
    }
    Integer parallelism = options.getOptional(FactoryUtil.SINK_PARALLELISM).orElse(null);
    return SinkV2Provider.of(sink.build(), parallelism);
  }

  private WriteDurability durability() {
    return options.get(TunnelConnectorOptions.SINK_DURABILITY);
  }

  private RejectedRows rejected() {
    return options.get(TunnelConnectorOptions.SINK_REJECTED_ROWS);
  }

  private static int bytes(MemorySize size) {
    return (int) Math.min(Integer.MAX_VALUE, size.getBytes());
  }

  @Override
  public DynamicTableSink copy() {
    TunnelTableSink copy = new TunnelTableSink(table, schema, stored, options);
    copy.statement = statement;
    copy.keyedDelete = keyedDelete;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "table '" + table.table() + "' of the tunnel service at " + table.endpoint();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TunnelTableSink that
        && table.equals(that.table)
        && stored.equals(that.stored)
        && statement.equals(that.statement);
  }

  @Override
  public int hashCode() {
    return Objects.hash(table, stored, statement);
  }
}
