package io.tunnel.flink.table.row;

import java.util.HexFormat;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;

/**
 * The key of a change as text: equal exactly for equal keys, in every process and after a restore.
 * Rows themselves would not do: a restored row has another hash.
 */
public final class KeyText implements KeySelector<RowData, String> {

  private static final long serialVersionUID = 1L;

  private final TableLayout layout;
  private final int fieldsBefore;

  public KeyText(TableLayout layout, int fieldsBefore) {
    this.layout = layout;
    this.fieldsBefore = fieldsBefore;
  }

  @Override
  public String getKey(RowData row) {
    StringBuilder text = new StringBuilder("(");
    for (int index : layout.keyIndexes()) {
      Field field = layout.fields().get(index);
      if (text.length() > 1) {
        text.append(", ");
      }
      text.append(field.name()).append('=');
      append(text, field.kind(), row, fieldsBefore + index);
    }
    return text.append(')').toString();
  }

  private static void append(StringBuilder text, FieldKind kind, RowData row, int index) {
    switch (kind) {
      case BIGINT -> text.append(row.getLong(index));
      case BYTES -> text.append(HexFormat.of().formatHex(row.getBinary(index)));
      case STRING -> {
        // With the length, or one text could look like two columns.
        String value = row.getString(index).toString();
        text.append(value.length()).append(':').append(value);
      }
      case DOUBLE, BOOLEAN -> throw new IllegalStateException(kind + " is no type of keys");
    }
  }
}
