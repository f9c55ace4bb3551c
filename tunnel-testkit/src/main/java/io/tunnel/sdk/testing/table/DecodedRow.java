package io.tunnel.sdk.testing.table;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.IncrementCore;
import io.tunnel.codec.Increments;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SessionProof;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A decoded row of a batch, and its effect on the stored row.
 *
 * @param change the change as the log has it, without its condition on columns; once {@link #add}
 *     has decided about its increments, with their results
 * @param columns the condition on columns
 * @param increments what the change adds, or added
 * @param session the session that the change binds the row to
 */
record DecodedRow(
    Bytes key,
    RowChange change,
    Optional<Condition> columns,
    Optional<Increments> increments,
    Optional<Long> session) {

  /** Decodes the row at the cursor, whose batch was validated. */
  static DecodedRow of(RowCursor row, List<PrimaryKeySchema> schema) {
    ChangeBatch batch = row.batch();
    PrimaryKey key = KeyCodec.decode(batch.array(), row.keyOffset(), row.keyBytes(), schema);
    RowChange change =
        switch (row.kind()) {
          case PUT -> new RowPutChange(key, puts(row), row.condition());
          case UPDATE -> new RowUpdateChange(key, updates(row), row.condition());
          case DELETE -> new RowDeleteChange(key, row.condition());
        };
    return new DecodedRow(
        Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()),
        change,
        row.columnCondition().map(Condition::decode),
        row.increments(),
        row.session());
  }

  /**
   * Puts the results of the increments into the row at the cursor.
   *
   * @return why the row cannot be applied, if it cannot
   */
  Optional<ErrorCode> add(RowCursor row, Optional<Row> stored) {
    return increments.flatMap(
        all ->
            IncrementCore.add(
                row,
                all,
                name ->
                    IncrementCore.Found.of(
                        stored.flatMap(found -> found.value(name)).orElse(null))));
  }

  /** Adds the change, with what its increments added, to a batch of the log. */
  boolean addTo(BatchBuilder log) {
    Bytes added = increments.map(Increments::toLog).orElse(Bytes.EMPTY);
    Bytes all = session.map(id -> SessionProof.addToRow(id, added)).orElse(added);
    return log.addWithin(Limits.BATCH_BYTES_MAX, change, all);
  }

  private static List<Column> puts(RowCursor row) {
    List<Column> columns = new ArrayList<>();
    for (ColumnCursor column = row.columns(); column.next(); ) {
      columns.add(new Column(row.batch().name(column.nameIndex()), column.value()));
    }
    return columns;
  }

  private static List<ColumnUpdate> updates(RowCursor row) {
    List<ColumnUpdate> columns = new ArrayList<>();
    for (ColumnCursor column = row.columns(); column.next(); ) {
      String name = row.batch().name(column.nameIndex());
      columns.add(
          column.isDelete()
              ? new ColumnUpdate.Delete(name)
              : new ColumnUpdate.Put(name, column.value()));
    }
    return columns;
  }

  /** Whether the conditions of the change hold for the stored row. */
  boolean mayChange(Optional<Row> stored, List<PrimaryKeySchema> schema) {
    boolean mayExist =
        switch (change.condition()) {
          case IGNORE -> true;
          case EXPECT_EXIST -> stored.isPresent();
          case EXPECT_NOT_EXIST -> stored.isEmpty();
        };
    return mayExist && (columns.isEmpty() || holds(columns.get(), stored, schema));
  }

  /** Judges the stored row; without a row there is the key alone. */
  private boolean holds(Condition condition, Optional<Row> stored, List<PrimaryKeySchema> schema) {
    Row row = stored.orElseGet(() -> new Row(change.primaryKey(), List.of()));
    Judge judge = new Judge(condition, ConditionPlace.ofRows(schema));
    return RowAnswer.holdsOf(judge, RowAnswer.alone(row, schema));
  }

  /** The row after the change was committed; empty when deleted. */
  Optional<Row> after(Optional<Row> stored, long commitMicros) {
    if (change instanceof RowPutChange put) {
      return Optional.of(new Row(put.primaryKey(), put.columns(), Optional.of(commitMicros)));
    }
    if (change instanceof RowUpdateChange update) {
      return Optional.of(
          new Row(update.primaryKey(), merged(stored, update), Optional.of(commitMicros)));
    }
    return Optional.empty();
  }

  private static List<Column> merged(Optional<Row> stored, RowUpdateChange update) {
    Map<String, ColumnValue> columns = new LinkedHashMap<>();
    stored.ifPresent(row -> row.columns().forEach(at -> columns.put(at.getName(), at.getValue())));
    for (ColumnUpdate column : update.updates()) {
      if (column instanceof ColumnUpdate.Put put) {
        columns.put(put.name(), put.value());
      } else {
        columns.remove(column.name());
      }
    }
    List<Column> merged = new ArrayList<>();
    columns.forEach((name, value) -> merged.add(new Column(name, value)));
    return merged;
  }
}
