package io.tunnel.flink.table;

import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.flink.table.row.Field;
import io.tunnel.flink.table.row.TableLayout;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.RecordColumn.ColumnType;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Converts changes to rows: the fields of a layout, then metadata. Decodes only requested columns.
 */
final class ChangeRows implements TunnelDeserializationSchema<RowData> {

  private static final long serialVersionUID = 1L;

  /** Up to this number of columns, looking each up is cheaper than decoding the whole row. */
  private static final int LOOK_UPS_MAX = 8;

  /** How kinds of changes become kinds of rows. */
  enum Style {
    /** Every change is an insert, with NULL in its missing columns. */
    APPEND,
    /** Puts have the later state of the row, deletes only the key; updates are refused. */
    UPSERT,
    /**
     * For {@link ChangeFold}: puts are inserts; updates have the later state of the columns named
     * by {@link Touched}, the first field.
     */
    FOLD
  }

  private final String table;
  private final TableLayout declaredKey;
  private final TableLayout layout;

  @SuppressWarnings("serial") // A copy of List.copyOf can be serialised.
  private final List<Metadata> metadata;

  private final Style style;
  private final TypeInformation<RowData> type;
  private transient Map<String, Integer> attributes;

  /**
   * The indexes of NOT NULL attributes, when changes of single columns become rows; otherwise
   * empty. Known with the key.
   */
  private transient int[] required;

  private transient boolean isKeyKnown;

  /**
   * Rows of a table's changes.
   *
   * @param declaredKey the key of the SQL table, if any; the layout's key has only the requested
   *     columns
   */
  ChangeRows(
      String table,
      TableLayout declaredKey,
      TableLayout layout,
      List<Metadata> metadata,
      Style style,
      TypeInformation<RowData> type) {
    this.table = table;
    this.declaredKey = declaredKey;
    this.layout = layout;
    this.metadata = List.copyOf(metadata);
    this.style = style;
    this.type = Objects.requireNonNull(type, "type");
  }

  /** How many fields precede the fields of the layout. */
  static int fieldsBefore(Style style) {
    return style == Style.FOLD ? 1 : 0;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext opening) {
    attributes = new HashMap<>();
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return type;
  }

  @Override
  public void deserialize(StreamRecord record, Collector<RowData> out) {
    deserialize(record, false, out);
  }

  @Override
  public void deserialize(StreamRecord record, boolean isWhole, Collector<RowData> out) {
    PrimaryKey key = record.getPrimaryKey();
    if (!isKeyKnown) {
      learn(key);
    }
    RecordType kind = record.getRecordType();
    if (style == Style.UPSERT && kind == RecordType.UPDATE) {
      throw new RowMismatchException(
          "row "
              + key
              + " of table '"
              + table
              + "' was changed by an UPDATE of single columns, which 'scan.changelog' = 'upsert'"
              + " cannot show; 'full' can");
    }
    int before = fieldsBefore(style);
    int width = before + layout.fields().size();
    GenericRowData row = new GenericRowData(rowKind(kind), width + metadata.size());
    for (int i = 0; i < layout.fields().size(); i++) {
      Field field = layout.fields().get(i);
      PrimaryKeyColumn column = key.getPrimaryKeyColumn(field.name());
      if (column != null) {
        row.setField(before + i, field.toSql(column.getValue().toColumnValue(), key));
      }
    }
    switch (kind) {
      case PUT -> put(record, key, row, before);
      case UPDATE -> update(record, key, row, isWhole);
      case DELETE -> {}
    }
    if (kind != RecordType.PUT) {
      requireAll(row, key, kind);
    }
    for (int i = 0; i < metadata.size(); i++) {
      row.setField(width + i, metadata.get(i).read(record));
    }
    out.collect(row);
  }

  /** All rows of a table have keys with equal columns, so one key is enough. */
  private void learn(PrimaryKey key) {
    if (!declaredKey.keyIndexes().isEmpty()) {
      declaredKey.requireKey(
          table,
          key.getPrimaryKeyColumns().stream()
              .map(column -> new PrimaryKeySchema(column.getName(), column.getValue().getType()))
              .toList());
    }
    for (int i = 0; i < layout.fields().size(); i++) {
      String name = layout.fields().get(i).name();
      if (key.getPrimaryKeyColumn(name) == null) {
        attributes.put(name, i);
      }
    }
    required =
        attributes.values().stream()
            .filter(i -> style == Style.APPEND && !layout.fields().get(i).isNullable())
            .mapToInt(Integer::intValue)
            .sorted()
            .toArray();
    isKeyKnown = true;
  }

  private RowKind rowKind(RecordType kind) {
    return switch (style) {
      case APPEND -> RowKind.INSERT;
      case UPSERT -> kind == RecordType.DELETE ? RowKind.DELETE : RowKind.UPDATE_AFTER;
      case FOLD ->
          switch (kind) {
            case PUT -> RowKind.INSERT;
            case UPDATE -> RowKind.UPDATE_AFTER;
            case DELETE -> RowKind.DELETE;
          };
    };
  }

  private void put(StreamRecord record, PrimaryKey key, GenericRowData row, int before) {
    if (attributes.size() <= LOOK_UPS_MAX) {
      attributes.forEach(
          (name, i) ->
              row.setField(
                  before + i, layout.fields().get(i).toSql(record.value(name).orElse(null), key)));
      return;
    }
    for (RecordColumn column : record.getColumns()) {
      Integer i = attributes.get(column.name());
      if (i != null) {
        row.setField(before + i, layout.fields().get(i).toSql(column.getColumn().getValue(), key));
      }
    }
    attributes.forEach(
        (name, i) -> {
          if (row.isNullAt(before + i)) {
            row.setField(before + i, layout.fields().get(i).toSql(null, key));
          }
        });
  }

  private void update(StreamRecord record, PrimaryKey key, GenericRowData row, boolean isWhole) {
    int before = fieldsBefore(style);
    Touched touched = new Touched(layout.fields().size(), isWhole);
    for (RecordColumn column : record.getColumns()) {
      Integer i = attributes.get(column.name());
      if (i != null) {
        touched.add(i);
        boolean isSet = column.getColumnType() == ColumnType.PUT;
        ColumnValue value = isSet ? column.getColumn().getValue() : null;
        row.setField(before + i, layout.fields().get(i).toSql(value, key));
      }
    }
    if (style == Style.FOLD) {
      row.setField(0, touched.toBytes());
    }
  }

  /** Refuses a change that lacks a value of a NOT NULL column. */
  private void requireAll(GenericRowData row, PrimaryKey key, RecordType kind) {
    for (int i : required) {
      if (row.isNullAt(i)) {
        throw new RowMismatchException(
            kind
                + " of row "
                + key
                + " of table '"
                + table
                + "' has no column '"
                + layout.fields().get(i).name()
                + "', which is declared NOT NULL: declare it nullable, since 'scan.changelog' ="
                + " 'append' shows each change with the columns that it has");
      }
    }
  }
}
