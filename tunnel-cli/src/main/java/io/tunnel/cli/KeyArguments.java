package io.tunnel.cli;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.partition.tool.KeyText;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Keys that were typed, given a table's schema. */
final class KeyArguments {

  private KeyArguments() {}

  /** The whole key that {@code values} name column by column, in any order. */
  static PrimaryKey whole(List<PrimaryKeySchema> schema, Map<String, String> values) {
    List<String> names = schema.stream().map(PrimaryKeySchema::name).toList();
    if (!values.keySet().equals(new HashSet<>(names))) {
      throw CommandFailure.usage(
          "the key of the table is "
              + KeyText.formatSchema(schema)
              + ", not "
              + values.keySet()
              + ": give "
              + names.stream()
                  .map(name -> "--key " + name + "=VALUE")
                  .collect(Collectors.joining(" ")));
    }
    List<PrimaryKeyColumn> columns = new ArrayList<>();
    for (PrimaryKeySchema column : schema) {
      columns.add(column("--key " + column.name(), column, values.get(column.name())));
    }
    return new PrimaryKey(columns);
  }

  /** A bound of a range: a value of the first key column. */
  static PrimaryKey first(String option, List<PrimaryKeySchema> schema, String value) {
    return PrimaryKey.of(column(option, schema.get(0), value));
  }

  private static PrimaryKeyColumn column(String option, PrimaryKeySchema column, String value) {
    try {
      return new PrimaryKeyColumn(column.name(), KeyText.parse(column.type(), value));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(option + ": " + e.getMessage());
    }
  }
}
