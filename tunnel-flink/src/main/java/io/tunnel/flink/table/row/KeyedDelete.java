package io.tunnel.flink.table.row;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;

/**
 * A DELETE whose WHERE says what each column of the key is, and nothing else: one change, without a
 * scan.
 */
public record KeyedDelete(TunnelOptions table, PrimaryKey key) {

  /** Empty when the filters say less than the whole key, or anything more. */
  public static Optional<KeyedDelete> of(
      TunnelOptions table, TableLayout layout, List<ResolvedExpression> filters) {
    if (filters.size() != layout.keyIndexes().size()) {
      return Optional.empty();
    }
    Map<String, PrimaryKeyValue> values = new HashMap<>();
    for (ResolvedExpression filter : filters) {
      if (!(filter instanceof CallExpression call) || !addEquality(call, layout, values)) {
        return Optional.empty();
      }
    }
    List<PrimaryKeyColumn> columns = new ArrayList<>();
    for (int index : layout.keyIndexes()) {
      String name = layout.fields().get(index).name();
      if (!values.containsKey(name)) {
        return Optional.empty();
      }
      columns.add(new PrimaryKeyColumn(name, values.get(name)));
    }
    return Optional.of(new KeyedDelete(table, new PrimaryKey(columns)));
  }

  private static boolean addEquality(
      CallExpression call, TableLayout layout, Map<String, PrimaryKeyValue> values) {
    if (call.getFunctionDefinition() != BuiltInFunctionDefinitions.EQUALS) {
      return false;
    }
    List<ResolvedExpression> sides = call.getResolvedChildren();
    ResolvedExpression left = sides.get(0);
    ResolvedExpression right = sides.get(1);
    if (left instanceof ValueLiteralExpression) {
      ResolvedExpression literal = left;
      left = right;
      right = literal;
    }
    if (!(left instanceof FieldReferenceExpression field)
        || !(right instanceof ValueLiteralExpression literal)) {
      return false;
    }
    for (int index : layout.keyIndexes()) {
      Field key = layout.fields().get(index);
      if (key.name().equals(field.getName())) {
        Optional<PrimaryKeyValue> value = value(key, literal);
        value.ifPresent(known -> values.put(key.name(), known));
        return value.isPresent();
      }
    }
    return false;
  }

  private static Optional<PrimaryKeyValue> value(Field key, ValueLiteralExpression literal) {
    return switch (key.kind()) {
      case BIGINT -> literal.getValueAs(Long.class).map(PrimaryKeyValue::fromLong);
      case STRING -> literal.getValueAs(String.class).map(PrimaryKeyValue::fromString);
      case BYTES -> literal.getValueAs(byte[].class).map(PrimaryKeyValue::fromBinary);
      case DOUBLE, BOOLEAN -> Optional.empty();
    };
  }

  /** Deletes the row; a delete that is in doubt is repeated, which does no harm. */
  public void execute() {
    if (!TableLayout.canBeKey(key)) {
      // As a scan, it finds no such row.
      return;
    }
    try (TableClient client = TableClient.connect(table.clientConfig())) {
      RowResult result = deleteWith(client);
      if (result.outcome() == RowResult.Outcome.IN_DOUBT) {
        result = deleteWith(client);
      }
      if (!result.isApplied()) {
        throw new TableException(
            "row "
                + key
                + " of table '"
                + table.table()
                + "' is not deleted: "
                + result.outcome()
                + " "
                + result.error().map(Enum::name).orElse("")
                + " "
                + result.message());
      }
    }
  }

  private RowResult deleteWith(TableClient client) {
    BatchWriteResult written = client.tryWrite(table.table(), List.of(new RowDeleteChange(key)));
    return written.results().get(0);
  }
}
