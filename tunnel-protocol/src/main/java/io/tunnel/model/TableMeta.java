package io.tunnel.model;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A table's name, the schema of its key, and its options. Attribute columns need no schema. */
public record TableMeta(String name, List<PrimaryKeySchema> primaryKey, TableOptions options) {

  /**
   * Refuses null, bad names, and a key of other than 1 to {@link Limits#KEY_COLUMNS_MAX} distinct
   * columns, of which one after the first may be AUTO.
   */
  public TableMeta {
    Names.requireResourceName("table", name);
    Objects.requireNonNull(primaryKey, "primaryKey");
    primaryKey = List.copyOf(primaryKey);
    Objects.requireNonNull(options, "options");
    if (primaryKey.isEmpty() || primaryKey.size() > Limits.KEY_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "a table has 1 to "
              + Limits.KEY_COLUMNS_MAX
              + " primary-key columns, not "
              + primaryKey.size());
    }
    requireAuto(primaryKey);
    Set<String> names = new HashSet<>();
    for (PrimaryKeySchema column : primaryKey) {
      if (!names.add(column.name())) {
        throw new IllegalArgumentException(
            "primary-key column '" + column.name() + "' is named twice");
      }
    }
  }

  private static void requireAuto(List<PrimaryKeySchema> key) {
    if (key.get(0).isAuto()) {
      throw new IllegalArgumentException(
          "key column '"
              + key.get(0).name()
              + "' is AUTO and the first of the key, which decides the partition of a row; put a"
              + " column that writers give before it");
    }
    List<String> auto =
        key.stream().filter(PrimaryKeySchema::isAuto).map(PrimaryKeySchema::name).toList();
    if (auto.size() > 1) {
      throw new IllegalArgumentException(
          "key columns " + auto + " are AUTO; the server numbers one column of a key at most");
    }
  }

  /** A table with the default options. */
  public TableMeta(String name, List<PrimaryKeySchema> primaryKey) {
    this(name, primaryKey, TableOptions.DEFAULT);
  }
}
