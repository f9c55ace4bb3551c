package io.tunnel.stress;

import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import java.util.List;

/** How large rows are, for rates in bytes: as they are encoded, a character counted as a byte. */
public final class RowSize {

  private static final int ROW_BYTES = 5;
  private static final int COLUMN_BYTES = 2;

  private RowSize() {}

  public static int of(RowChange row) {
    int bytes = ROW_BYTES;
    List<PrimaryKeyColumn> key = row.primaryKey().getPrimaryKeyColumns();
    for (int i = 0; i < key.size(); i++) {
      PrimaryKeyValue value = key.get(i).getValue();
      bytes += value.isAuto() ? Long.BYTES : of(value.toColumnValue());
    }
    if (row instanceof RowPutChange put) {
      List<Column> columns = put.columns();
      for (int i = 0; i < columns.size(); i++) {
        bytes += COLUMN_BYTES + of(columns.get(i).getValue());
      }
    } else if (row instanceof RowUpdateChange update) {
      for (ColumnUpdate column : update.updates()) {
        bytes += COLUMN_BYTES + of(column);
      }
    }
    return bytes;
  }

  private static int of(ColumnUpdate update) {
    if (update instanceof ColumnUpdate.Put put) {
      return of(put.value());
    }
    return update instanceof ColumnUpdate.Increment ? Long.BYTES : 0;
  }

  private static int of(ColumnValue value) {
    if (value instanceof StringValue string) {
      return 2 + string.value().length();
    } else if (value instanceof BinaryValue binary) {
      return 2 + binary.value().length();
    }
    return value instanceof BooleanValue ? 1 : 8;
  }
}
