package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/** The sizes of rows as their changes leave them, of one partition. */
final class ModelRows implements ConditionCore.StoredRows {

  private final Map<Bytes, Map<String, Integer>> rows = new HashMap<>();

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

  private static void apply(RowCursor row, Map<String, Integer> sizes) {
    ColumnCursor columns = row.columns();
    while (columns.next()) {
      String name = row.batch().name(columns.nameIndex());
      if (columns.isDelete()) {
        sizes.remove(name);
      } else {
        sizes.put(name, columns.columnEnd() - columns.typeOffset());
      }
    }
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return rows.containsKey(Bytes.copyOf(array, keyOffset, keyBytes));
  }

  @Override
  public void columns(
      int partition, byte[] array, int keyOffset, int keyBytes, ObjIntConsumer<String> column) {
    rows.getOrDefault(Bytes.copyOf(array, keyOffset, keyBytes), Map.of()).forEach(column::accept);
  }
}
