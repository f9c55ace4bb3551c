package io.tunnel.flink.table.row;

import io.tunnel.model.Row;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The columns of a sample of rows: half with the lowest keys, half with the highest. A column with
 * several types is left out, because no declaration would fit.
 */
public final class ColumnSample {

  private final Map<String, FieldKind> kinds = new TreeMap<>();
  private final Set<String> mixed = new HashSet<>();

  public static ColumnSample of(TableClient client, String table, int rowsMax) {
    ColumnSample sample = new ColumnSample();
    int half = (rowsMax + 1) / 2;
    if (rowsMax > 0) {
      client.getRange(table, RangeQuery.ALL.withLimit(half)).forEach(sample::add);
      client
          .getRange(table, RangeQuery.ALL.backward().withLimit(rowsMax - half))
          .forEach(sample::add);
    }
    return sample;
  }

  void add(Row row) {
    for (Column column : row.columns()) {
      String name = column.getName();
      FieldKind kind = FieldKind.of(column.getValue().getType());
      boolean isMixed = mixed.contains(name) || kinds.getOrDefault(name, kind) != kind;
      if (isMixed) {
        mixed.add(name);
        kinds.remove(name);
      } else if (row.primaryKey().getPrimaryKeyColumn(name) == null) {
        kinds.put(name, kind);
      }
    }
  }

  /** The kinds by column name, in the order of names. */
  public Map<String, FieldKind> columns() {
    return kinds;
  }
}
