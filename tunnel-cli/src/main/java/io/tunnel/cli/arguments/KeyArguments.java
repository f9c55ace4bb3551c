package io.tunnel.cli.arguments;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.partition.tool.KeyText;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Keys that were typed, given a table's schema.
 *
 * <p>A leading hash may be left out of a key when the table's schema says that it is one: a first
 * column {@code hash BINARY} with others behind it. A first BINARY column of another name may be
 * anything, a digest for example, so it is taken for a hash only when the user says so.
 */
public final class KeyArguments {

  /** Stands for the number that the server chooses. */
  private static final String AUTO = "auto";

  private KeyArguments() {}

  /**
   * The whole key that {@code values} name column by column, in any order.
   *
   * @param isHashed whether the first column is said to be the hash of the others
   */
  static TypedKey whole(
      List<PrimaryKeySchema> schema, Map<String, String> values, boolean isHashed) {
    requireHashable(schema, isHashed);
    List<String> names = schema.stream().map(PrimaryKeySchema::name).toList();
    Set<String> withoutFirst = new HashSet<>(names.subList(1, names.size()));
    boolean firstIsMissing = names.size() > 1 && values.keySet().equals(withoutFirst);
    boolean isComputed = firstIsMissing && (isHashed || HashedKey.isHashed(schema));
    if (!isComputed && !values.keySet().equals(new HashSet<>(names))) {
      throw CommandFailure.usage(
          notTheKey(schema, values.keySet())
              + (firstIsMissing && HashedKey.canBeHashed(schema)
                  ? "; or add --hashed if '" + names.get(0) + "' is the hash of the others"
                  : ""));
    }
    List<PrimaryKeyColumn> columns = new ArrayList<>();
    for (PrimaryKeySchema column : isComputed ? schema.subList(1, schema.size()) : schema) {
      columns.add(column("--key " + column.name(), column, values.get(column.name())));
    }
    return isComputed
        ? new TypedKey(HashedKey.of(names.get(0), columns), true)
        : new TypedKey(new PrimaryKey(columns), false);
  }

  /** Refuses {@code --hashed} for a table whose key has no place for a hash. */
  static void requireHashable(List<PrimaryKeySchema> schema, boolean isHashed) {
    if (isHashed && !HashedKey.canBeHashed(schema)) {
      throw CommandFailure.usage(
          "--hashed is for a key whose first column is BINARY and has others behind it, not "
              + KeyText.formatSchema(schema));
    }
  }

  private static String notTheKey(List<PrimaryKeySchema> schema, Set<String> given) {
    return "the key of the table is "
        + KeyText.formatSchema(schema)
        + ", not "
        + given
        + ": give "
        + schema.stream()
            .map(column -> "--key " + column.name() + "=VALUE")
            .collect(Collectors.joining(" "));
  }

  /** A bound of a range: a value of the first key column. */
  public static PrimaryKey first(String option, List<PrimaryKeySchema> schema, String value) {
    return PrimaryKey.of(column(option, schema.get(0), value));
  }

  private static PrimaryKeyColumn column(String option, PrimaryKeySchema column, String value) {
    if (column.isAuto() && value.equalsIgnoreCase(AUTO)) {
      return new PrimaryKeyColumn(column.name(), PrimaryKeyValue.auto());
    }
    try {
      return new PrimaryKeyColumn(column.name(), KeyText.parse(column.type(), value));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(option + ": " + e.getMessage());
    }
  }
}
