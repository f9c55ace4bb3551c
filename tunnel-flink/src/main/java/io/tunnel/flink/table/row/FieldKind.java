package io.tunnel.flink.table.row;

import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.Optional;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;

/** The types of columns, each as a type of SQL and of this service; conversions lose nothing. */
public enum FieldKind {
  BIGINT(ColumnType.INTEGER) {
    @Override
    public ColumnValue read(RowData row, int index) {
      return ColumnValue.fromLong(row.getLong(index));
    }

    @Override
    Object toSql(ColumnValue value) {
      return value.asLong();
    }

    @Override
    public DataType dataType() {
      return DataTypes.BIGINT();
    }
  },
  DOUBLE(ColumnType.DOUBLE) {
    @Override
    public ColumnValue read(RowData row, int index) {
      return new DoubleValue(row.getDouble(index));
    }

    @Override
    Object toSql(ColumnValue value) {
      return value.asDouble();
    }

    @Override
    public DataType dataType() {
      return DataTypes.DOUBLE();
    }
  },
  BOOLEAN(ColumnType.BOOLEAN) {
    @Override
    public ColumnValue read(RowData row, int index) {
      return ColumnValue.fromBoolean(row.getBoolean(index));
    }

    @Override
    Object toSql(ColumnValue value) {
      return value.asBoolean();
    }

    @Override
    public DataType dataType() {
      return DataTypes.BOOLEAN();
    }
  },
  STRING(ColumnType.STRING) {
    @Override
    public ColumnValue read(RowData row, int index) {
      return ColumnValue.fromString(row.getString(index).toString());
    }

    @Override
    Object toSql(ColumnValue value) {
      return StringData.fromString(value.asString());
    }

    @Override
    public DataType dataType() {
      return DataTypes.STRING();
    }
  },
  BYTES(ColumnType.BINARY) {
    @Override
    public ColumnValue read(RowData row, int index) {
      return ColumnValue.fromBinary(row.getBinary(index));
    }

    @Override
    Object toSql(ColumnValue value) {
      return value.asBinary();
    }

    @Override
    public DataType dataType() {
      return DataTypes.BYTES();
    }
  };

  private final ColumnType type;

  FieldKind(ColumnType type) {
    this.type = type;
  }

  /** The type of this service. */
  ColumnType columnType() {
    return type;
  }

  /** The value of a field that is not null. */
  public abstract ColumnValue read(RowData row, int index);

  /** Converts a value of type {@link #columnType} to Flink's internal form. */
  abstract Object toSql(ColumnValue value);

  /** The type of SQL. */
  public abstract DataType dataType();

  /** The type of a key column; empty for types that keys cannot have. */
  Optional<PrimaryKeyType> keyType() {
    return switch (this) {
      case BIGINT -> Optional.of(PrimaryKeyType.INTEGER);
      case STRING -> Optional.of(PrimaryKeyType.STRING);
      case BYTES -> Optional.of(PrimaryKeyType.BINARY);
      case DOUBLE, BOOLEAN -> Optional.empty();
    };
  }

  /**
   * The value of a key's field.
   *
   * @throws IllegalArgumentException when keys cannot have this kind
   */
  public PrimaryKeyValue readKey(RowData row, int index) {
    return PrimaryKeyValue.fromColumn(read(row, index));
  }

  /** The kind of a column of this service. */
  static FieldKind of(ColumnType type) {
    for (FieldKind kind : values()) {
      if (kind.type == type) {
        return kind;
      }
    }
    throw new IllegalStateException("no SQL type for " + type);
  }

  /** The kind of a SQL type; empty for types that this service does not have. */
  static Optional<FieldKind> of(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case BIGINT -> Optional.of(BIGINT);
      case DOUBLE -> Optional.of(DOUBLE);
      case BOOLEAN -> Optional.of(BOOLEAN);
      case VARCHAR -> only(STRING, ((VarCharType) type).getLength() == VarCharType.MAX_LENGTH);
      case VARBINARY -> only(BYTES, ((VarBinaryType) type).getLength() == VarBinaryType.MAX_LENGTH);
      default -> Optional.empty();
    };
  }

  private static Optional<FieldKind> only(FieldKind kind, boolean holds) {
    return holds ? Optional.of(kind) : Optional.empty();
  }
}
