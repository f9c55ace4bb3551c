package io.tunnel.flink.table;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.table.row.TableLayout;
import io.tunnel.model.Row;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * The first rows of a table in the order of their keys, for a query with a limit: reads a page or
 * two instead of the whole table.
 */
final class RangeRows implements FlatMapFunction<Long, RowData>, ResultTypeQueryable<RowData> {

  private static final long serialVersionUID = 1L;

  private final TunnelOptions table;
  private final TableLayout declaredKey;
  private final TableLayout produced;
  private final long limit;
  private final TypeInformation<RowData> type;

  RangeRows(
      TunnelOptions table,
      TableLayout declaredKey,
      TableLayout produced,
      long limit,
      TypeInformation<RowData> type) {
    this.table = table;
    this.declaredKey = declaredKey;
    this.produced = produced;
    this.limit = limit;
    this.type = type;
  }

  @Override
  public void flatMap(Long once, Collector<RowData> out) {
    RangeQuery first = RangeQuery.ALL.withLimit(limit);
    try (TableClient client = TableClient.connect(table.clientConfig())) {
      if (!declaredKey.keyIndexes().isEmpty()) {
        declaredKey.requireKey(table.table(), client.primaryKeyOf(table.table()));
      }
      for (Row row : client.getRange(table.table(), first)) {
        out.collect(produced.toSql(row));
      }
    }
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return type;
  }
}
