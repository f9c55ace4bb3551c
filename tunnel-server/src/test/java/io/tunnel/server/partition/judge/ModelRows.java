package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Rows of a partition, as the changes leave the rows. */
final class ModelRows implements ConditionCore.StoredRows {

  private final Map<Bytes, Map<String, Bytes>> rows = new HashMap<>();

  void apply(ChangeBatch batch) {
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      if (row.kind() != ChangeKind.UPDATE) {
        rows.remove(key);
      }
      if (row.kind() != ChangeKind.DELETE) {
        apply(row, rows.computeIfAbsent(key, id -> new HashMap<>()));
      }
    }
  }

  private static void apply(RowCursor change, Map<String, Bytes> row) {
    ColumnCursor columns = change.columns();
    while (columns.next()) {
      String name = change.batch().name(columns.nameIndex());
      if (columns.isDelete()) {
        row.remove(name);
      } else {
        row.put(
            name,
            Bytes.copyOf(
                change.batch().array(),
                columns.typeOffset(),
                columns.columnEnd() - columns.typeOffset()));
      }
    }
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return rows.containsKey(Bytes.copyOf(array, keyOffset, keyBytes));
  }

  @Override
  public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
    return Optional.ofNullable(rows.get(key)).map(TreeMap::new);
  }
}
