package io.tunnel.flink.table.row;

import io.tunnel.flink.sink.TunnelSerializationSchema;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.table.data.RowData;

/** Converts the rows of a changelog to changes. */
public final class RowDataChanges implements TunnelSerializationSchema<RowData> {

  private static final long serialVersionUID = 1L;

  /** The kind of change for inserted and updated rows. */
  public enum Upserts {
    /** Puts of the whole row. */
    PUT,
    /** Updates of the written columns. */
    UPDATE,
    /** Updates of existing rows, for the SQL statement UPDATE. */
    UPDATE_EXISTING
  }

  private final TableLayout layout;
  private final Upserts upserts;

  @SuppressWarnings("serial") // A copy of List.copyOf can be serialised.
  private final List<Integer> written;

  /**
   * A converter.
   *
   * @param written the indexes of the attributes to write
   */
  public RowDataChanges(TableLayout layout, Upserts upserts, List<Integer> written) {
    this.layout = Objects.requireNonNull(layout, "layout");
    this.upserts = Objects.requireNonNull(upserts, "upserts");
    this.written = List.copyOf(written);
  }

  @Override
  public RowChange serialize(RowData row, SinkWriter.Context moment) {
    return switch (row.getRowKind()) {
      case INSERT, UPDATE_AFTER -> upsert(row);
      case DELETE -> delete(layout.key(row));
      // The row after the update is enough.
      case UPDATE_BEFORE -> null;
    };
  }

  /** A delete; null when no row can have the key. */
  private static RowChange delete(PrimaryKey key) {
    return TableLayout.canBeKey(key) ? new RowDeleteChange(key) : null;
  }

  private RowChange upsert(RowData row) {
    PrimaryKey key = layout.key(row);
    return switch (upserts) {
      case PUT -> new RowPutChange(key, columns(row));
      case UPDATE -> new RowUpdateChange(key, updates(row));
      case UPDATE_EXISTING ->
          new RowUpdateChange(key, updates(row), RowExistenceExpectation.EXPECT_EXIST);
    };
  }

  private List<Column> columns(RowData row) {
    List<Column> columns = new ArrayList<>(written.size());
    for (int index : written) {
      if (!row.isNullAt(index)) {
        Field field = layout.fields().get(index);
        columns.add(new Column(field.name(), field.kind().read(row, index)));
      }
    }
    return columns;
  }

  private List<ColumnUpdate> updates(RowData row) {
    List<ColumnUpdate> updates = new ArrayList<>(written.size());
    for (int index : written) {
      Field field = layout.fields().get(index);
      updates.add(
          row.isNullAt(index)
              ? new ColumnUpdate.Delete(field.name())
              : new ColumnUpdate.Put(field.name(), field.kind().read(row, index)));
    }
    return updates;
  }
}
