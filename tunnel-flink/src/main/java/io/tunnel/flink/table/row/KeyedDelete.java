package io.tunnel.flink.table.row;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.sink.WriteDurability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;

/**
 * A DELETE whose WHERE compares exactly the columns of the key: one change, without a scan.
 *
 * @param table the table of the row
 * @param key the key of the row
 * @param durability the durability of the deletion at the end of the statement
 */
public record KeyedDelete(TunnelOptions table, PrimaryKey key, WriteDurability durability) {

  /** Empty when the filters compare a part of the key, or further columns. */
  public static Optional<KeyedDelete> of(
      TunnelOptions table,
      TableLayout layout,
      WriteDurability durability,
      List<ResolvedExpression> filters) {
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
    return Optional.of(new KeyedDelete(table, new PrimaryKey(columns), durability));
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

  /**
   * Deletes the row; repeats a delete in doubt, which does no harm.
   *
   * @throws TableException with the reason, when the row may still exist
   */
  public void execute() {
    if (!TableLayout.canBeKey(key)) {
      // Like a scan, finds no such row.
      return;
    }
    try (TableClient client = TableClient.connect(table.clientConfig());
        TableWriter writer =
            client.openWriter(table.table(), durability.of(TableWriterConfig.DEFAULTS))) {
      RowResult result = deleteWith(writer);
      if (result.outcome() == RowResult.Outcome.IN_DOUBT) {
        result = deleteWith(writer);
      }
      if (!result.isApplied()) {
        String code = result.error().map(Enum::name).orElse("");
        throw new TableException(
            notDeleted(result.outcome() + " " + code + " " + result.message()));
      }
    }
  }

  private RowResult deleteWith(TableWriter writer) {
    CompletableFuture<RowResult> outcome;
    try {
      outcome = writer.add(new RowDeleteChange(key));
    } catch (IllegalArgumentException e) {
      throw new TableException(notDeleted(e.getMessage()), e);
    }
    writer.hurry();
    return outcome.join();
  }

  private String notDeleted(String why) {
    return "row " + key + " of table '" + table.table() + "' is not deleted: " + why;
  }
}
