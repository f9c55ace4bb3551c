package io.tunnel.programs.demo;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.stress.rows.Hash64;
import java.util.List;

/**
 * 64-bit hashes of changes. A change that is written and the record that is delivered for it have
 * the same; a difference in kind, key, or any column's name, value or place gives another.
 */
final class Fingerprint {

  private static final long REMOVED = 0x5bd1e995L;

  private Fingerprint() {}

  /** The hash of a key. */
  static long ofKey(PrimaryKey key) {
    long hash = 0;
    List<PrimaryKeyColumn> columns = key.getPrimaryKeyColumns();
    for (int i = 0; i < columns.size(); i++) {
      hash = Hash64.chain(hash, Hash64.of(columns.get(i).getValue().toColumnValue()));
    }
    return hash;
  }

  /** The hash of a change whose key has the hash {@code key}. */
  static long of(RowChange row, long key) {
    long hash = Hash64.chain(key, row.kind().code());
    if (row instanceof RowPutChange put) {
      for (Column column : put.columns()) {
        hash = set(hash, column);
      }
    } else if (row instanceof RowUpdateChange update) {
      for (ColumnUpdate column : update.updates()) {
        if (column instanceof ColumnUpdate.Increment) {
          throw new IllegalArgumentException("the writer cannot know what an increment leaves");
        }
        hash =
            column instanceof ColumnUpdate.Put put
                ? set(hash, put.name(), put.value())
                : removed(hash, column.name());
      }
    }
    return hash;
  }

  /** The hash of a delivered change whose key has the hash {@code key}. */
  static long of(StreamRecord record, long key) {
    int kind =
        switch (record.getRecordType()) {
          case PUT -> ChangeKind.PUT.code();
          case UPDATE -> ChangeKind.UPDATE.code();
          case DELETE -> ChangeKind.DELETE.code();
        };
    long hash = Hash64.chain(key, kind);
    for (RecordColumn column : record.getColumns()) {
      hash =
          column.getColumnType() == RecordColumn.ColumnType.PUT
              ? set(hash, column.getColumn())
              : removed(hash, column.name());
    }
    return hash;
  }

  private static long set(long hash, Column column) {
    return set(hash, column.getName(), column.getValue());
  }

  private static long set(long hash, String name, ColumnValue value) {
    return Hash64.chain(Hash64.chain(hash, name.hashCode()), Hash64.of(value));
  }

  private static long removed(long hash, String name) {
    return Hash64.chain(Hash64.chain(hash, name.hashCode()), REMOVED);
  }
}
