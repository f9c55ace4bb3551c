package io.tunnel.sdk.processor;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a program for Tablestore's tunnel SDK does that copies rows to somewhere else, but for its
 * imports: written with members that are there, and with none of ours.
 */
@SuppressWarnings("StatementSwitchToExpressionSwitch") // Users of the original write it so.
final class RowCopyingProcessor implements IChannelProcessor {

  /** The columns of each row, by the values of its key. */
  final Map<List<Object>, Map<String, Object>> rows = new HashMap<>();

  /** The type of each column of keys, by its name. */
  final Map<String, PrimaryKeyType> keyTypes = new HashMap<>();

  String lastToken;

  @Override
  public void process(ProcessRecordsInput input) {
    for (StreamRecord record : input.getRecords()) {
      copy(record);
    }
    lastToken = input.getNextToken();
  }

  private void copy(StreamRecord record) {
    List<Object> key = keyOf(record.getPrimaryKey());
    switch (record.getRecordType()) {
      case PUT:
        rows.put(key, new HashMap<>());
        apply(rows.get(key), record.getColumns());
        break;
      case UPDATE:
        apply(rows.computeIfAbsent(key, missing -> new HashMap<>()), record.getColumns());
        break;
      case DELETE:
        rows.remove(key);
        break;
    }
  }

  private List<Object> keyOf(PrimaryKey primaryKey) {
    List<Object> key = new ArrayList<>(primaryKey.size());
    for (PrimaryKeyColumn column : primaryKey.getPrimaryKeyColumns()) {
      PrimaryKeyValue value = column.getValue();
      PrimaryKeyType type = value.getType();
      keyTypes.put(column.getName(), type);
      switch (type) {
        case INTEGER:
          key.add(value.asLong());
          break;
        case STRING:
          key.add(value.asString());
          break;
        default:
          throw new IllegalArgumentException("a key of type " + value.getType());
      }
      if (!primaryKey.contains(column.getName())
          || primaryKey.getPrimaryKeyColumnsMap().get(column.getName()).getValue() == null) {
        throw new IllegalStateException(column.getName());
      }
    }
    return key;
  }

  private static void apply(Map<String, Object> row, List<RecordColumn> columns) {
    for (RecordColumn column : columns) {
      Column changed = column.getColumn();
      switch (column.getColumnType()) {
        case PUT:
          row.put(changed.getName(), valueOf(changed.getValue()));
          break;
        case DELETE_ONE_VERSION:
        case DELETE_ALL_VERSION:
          row.remove(changed.getName());
          break;
      }
    }
  }

  private static Object valueOf(ColumnValue value) {
    ColumnType type = value.getType();
    if (type == ColumnType.BINARY) {
      return value.asBinary().length;
    }
    return value.getValue();
  }

  @Override
  public void shutdown() {
    rows.clear();
  }
}
