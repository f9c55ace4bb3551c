package io.tunnel.stress.file;

import io.tunnel.model.value.ColumnType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The types that the user gives for columns, such as {@code price:DOUBLE,zip:STRING}. */
public final class ColumnTypes {

  private ColumnTypes() {}

  /** Reads {@code name:TYPE} items; an item that is not one is refused with what would be right. */
  public static Map<String, ColumnType> parse(List<String> items) {
    Map<String, ColumnType> types = new LinkedHashMap<>();
    for (String item : items) {
      int colon = item.lastIndexOf(':');
      ColumnType type = colon < 1 ? null : typeNamed(item.substring(colon + 1));
      if (type == null) {
        throw new IllegalArgumentException(
            "'"
                + item
                + "' is not COLUMN:TYPE with a TYPE of "
                + Arrays.toString(ColumnType.values()));
      }
      String name = item.substring(0, colon);
      if (types.putIfAbsent(name, type) != null) {
        throw new IllegalArgumentException("column '" + name + "' is given a type twice");
      }
    }
    return types;
  }

  private static ColumnType typeNamed(String name) {
    for (ColumnType type : ColumnType.values()) {
      if (type.name().equals(name.strip().toUpperCase(Locale.ROOT))) {
        return type;
      }
    }
    return null;
  }
}
