package io.tunnel.it.sim.truth;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The rows that changes leave, in the order of their keys. */
public final class RowFold {

  /** The key of every table of a world, but for tables whose keys the server numbers. */
  public static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  /** The key of a table whose keys the server numbers. */
  public static final List<PrimaryKeySchema> AUTO_SCHEMA =
      List.of(SCHEMA.get(0), PrimaryKeySchema.auto("n"));

  /** An INTEGER of an encoded key: the lengths of the keys tell the schemas apart. */
  private static final int INTEGER_BYTES = 1 + Long.BYTES;

  private final TreeMap<Bytes, NavigableMap<String, ColumnValue>> rows = new TreeMap<>();

  private final Map<Bytes, Long> commitMicros = new HashMap<>();

  /** The schema of an encoded key of that length. */
  public static List<PrimaryKeySchema> schema(int keyBytes) {
    return keyBytes == INTEGER_BYTES ? SCHEMA : AUTO_SCHEMA;
  }

  /** The bytes of a key of any table. */
  public static Bytes encode(PrimaryKey key) {
    return KeyCodec.encode(key, key.size() == SCHEMA.size() ? SCHEMA : AUTO_SCHEMA);
  }

  /** Applies a change. */
  public void apply(StreamRecord change) {
    Bytes key = encode(change.getPrimaryKey());
    commitMicros.put(key, change.commitMicros());
    switch (change.getRecordType()) {
      case DELETE -> rows.remove(key);
      case PUT -> {
        rows.put(key, new TreeMap<>());
        merge(key, change);
      }
      case UPDATE -> merge(key, change);
    }
  }

  private void merge(Bytes key, StreamRecord change) {
    NavigableMap<String, ColumnValue> columns = rows.computeIfAbsent(key, any -> new TreeMap<>());
    for (RecordColumn column : change.getColumns()) {
      if (column.getColumnType() == RecordColumn.ColumnType.DELETE_ALL_VERSION) {
        columns.remove(column.name());
      } else {
        columns.put(column.name(), column.getColumn().getValue());
      }
    }
  }

  /** Applies all changes of a batch. */
  public void apply(ChangeBatch batch) {
    RowCursor row = batch.rows();
    for (long position = batch.basePosition(); row.next(); position++) {
      apply(new StreamRecord(batch, row.rowOffset(), position, schema(row.keyBytes())));
    }
  }

  /** The rows by their encoded keys: not a copy. */
  public NavigableMap<Bytes, NavigableMap<String, ColumnValue>> rows() {
    return rows;
  }

  /** A copy in the shape in which readers are given rows. */
  public NavigableMap<Bytes, List<Column>> columns() {
    NavigableMap<Bytes, List<Column>> all = new TreeMap<>();
    rows.forEach(
        (key, values) -> {
          List<Column> columns = new ArrayList<>();
          values.forEach((name, value) -> columns.add(new Column(name, value)));
          all.put(key, columns);
        });
    return all;
  }

  /** The id of an encoded key. */
  static long id(Bytes key) {
    byte[] array = key.toByteArray();
    return KeyCodec.decode(array, 0, array.length, SCHEMA)
        .getPrimaryKeyColumn(0)
        .getValue()
        .asLong();
  }

  /** When a row that there is was changed last. */
  public long commitMicros(Bytes key) {
    return commitMicros.get(key);
  }

  /** A copy of the rows that were written behind a time. */
  RowFold writtenBehind(long micros) {
    RowFold young = copy();
    young.rows.keySet().removeIf(key -> commitMicros(key) <= micros);
    return young;
  }

  /** An independent copy. */
  public RowFold copy() {
    RowFold copy = new RowFold();
    rows.forEach((key, columns) -> copy.rows.put(key, new TreeMap<>(columns)));
    copy.commitMicros.putAll(commitMicros);
    return copy;
  }
}
