package io.tunnel.codec;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import java.util.ArrayList;
import java.util.List;

/** The rows of a batch, read through the cursors as every reader does. */
final class DecodedBatch {

  private DecodedBatch() {}

  static List<RowChange> rows(ChangeBatch batch, List<PrimaryKeySchema> schema) {
    List<RowChange> rows = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      rows.add(row(row, schema));
    }
    return rows;
  }

  static RowChange row(RowCursor row, List<PrimaryKeySchema> schema) {
    PrimaryKey key = KeyCodec.decode(row.batch().array(), row.keyOffset(), row.keyBytes(), schema);
    List<ColumnUpdate> updates = new ArrayList<>();
    ColumnCursor columns = row.columns();
    while (columns.next()) {
      String name = row.batch().name(columns.nameIndex());
      updates.add(
          columns.isDelete()
              ? new ColumnUpdate.Delete(name)
              : new ColumnUpdate.Put(name, columns.value()));
    }
    if (row.kind() == ChangeKind.UPDATE) {
      return new RowUpdateChange(key, updates, row.condition());
    } else if (row.kind() == ChangeKind.DELETE) {
      return new RowDeleteChange(key, row.condition());
    }
    List<Column> put = new ArrayList<>();
    for (ColumnUpdate update : updates) {
      if (update instanceof ColumnUpdate.Put column) {
        put.add(new Column(column.name(), column.value()));
      }
    }
    return new RowPutChange(key, put, row.condition());
  }
}
