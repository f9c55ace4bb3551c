package io.tunnel.flink.sink;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** What a table is when changes are applied to it in order. */
final class Model {

  private final Map<PrimaryKey, Map<String, ColumnValue>> rows = new HashMap<>();

  static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  static RowPutChange put(long id, String column, long value) {
    return new RowPutChange(key(id), List.of(new Column(column, ColumnValue.fromLong(value))));
  }

  /** Puts, updates and deletes of few keys. */
  static List<RowChange> history(Random random, int changes, int keys) {
    List<RowChange> history = new ArrayList<>();
    for (int i = 0; i < changes; i++) {
      int id = random.nextInt(keys);
      String column = "c" + random.nextInt(3);
      history.add(
          switch (random.nextInt(5)) {
            case 0 -> put(id, column, i);
            case 1 -> new RowDeleteChange(key(id));
            case 2 ->
                new RowUpdateChange(
                    key(id), List.<ColumnUpdate>of(new ColumnUpdate.Delete(column)));
            default ->
                new RowUpdateChange(
                    key(id), List.of(new ColumnUpdate.Put(column, ColumnValue.fromLong(i))));
          });
    }
    return history;
  }

  Model apply(Collection<? extends RowChange> changes) {
    changes.forEach(this::apply);
    return this;
  }

  void apply(RowChange change) {
    if (change instanceof RowDeleteChange) {
      rows.remove(change.primaryKey());
    } else if (change instanceof RowPutChange put) {
      Map<String, ColumnValue> columns = new TreeMap<>();
      put.columns().forEach(column -> columns.put(column.getName(), column.getValue()));
      rows.put(put.primaryKey(), columns);
    } else if (change instanceof RowUpdateChange update) {
      Map<String, ColumnValue> columns =
          rows.computeIfAbsent(update.primaryKey(), key -> new TreeMap<>());
      for (ColumnUpdate one : update.updates()) {
        if (one instanceof ColumnUpdate.Put put) {
          columns.put(put.name(), put.value());
        } else {
          columns.remove(one.name());
        }
      }
    }
  }

  static Model of(List<Row> stored) {
    Model model = new Model();
    stored.forEach(row -> model.apply(new RowPutChange(row.primaryKey(), row.columns())));
    return model;
  }

  Map<PrimaryKey, Map<String, ColumnValue>> rows() {
    return rows;
  }
}
