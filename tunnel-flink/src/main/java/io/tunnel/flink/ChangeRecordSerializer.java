package io.tunnel.flink;

import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a {@link ChangeRecord} between tasks and in state. Version 1: u8 type (1 PUT, 2
 * UPDATE, 3 DELETE, 4 DELETE of an expired row, 5 DELETE at the end of a row session), i32
 * partition, i64 position, i64 commit time, then key and columns, each as i32 count and pairs of
 * name and value: texts as i32 length and UTF-8, a value as u8 tag (1 INTEGER, 2 DOUBLE, 3 BOOLEAN,
 * 4 STRING, 5 BINARY, 6 removed) and the bytes of the type.
 */
public final class ChangeRecordSerializer extends TypeSerializerSingleton<ChangeRecord> {

  /** The only instance. */
  public static final ChangeRecordSerializer INSTANCE = new ChangeRecordSerializer();

  private static final long serialVersionUID = 1L;
  private static final int INTEGER = 1;
  private static final int DOUBLE = 2;
  private static final int BOOLEAN = 3;
  private static final int STRING = 4;
  private static final int BINARY = 5;
  private static final int REMOVED = 6;

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public ChangeRecord createInstance() {
    PrimaryKey key = PrimaryKey.builder().add("none", 0).build();
    return new ChangeRecord(RecordType.DELETE, 0, 0, 0, key, List.of());
  }

  @Override
  public ChangeRecord copy(ChangeRecord from) {
    return from;
  }

  @Override
  public ChangeRecord copy(ChangeRecord from, ChangeRecord reuse) {
    return from;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(ChangeRecord record, DataOutputView out) throws IOException {
    out.writeByte(code(record));
    out.writeInt(record.partition());
    out.writeLong(record.position());
    out.writeLong(record.commitMicros());
    out.writeInt(record.key().getPrimaryKeyColumns().size());
    for (PrimaryKeyColumn column : record.key().getPrimaryKeyColumns()) {
      writeBytes(column.getName().getBytes(StandardCharsets.UTF_8), out);
      writeValue(column.getValue().toColumnValue(), out);
    }
    out.writeInt(record.columns().size());
    for (RecordColumn column : record.columns()) {
      writeBytes(column.name().getBytes(StandardCharsets.UTF_8), out);
      if (column.getColumnType() == RecordColumn.ColumnType.PUT) {
        writeValue(column.getColumn().getValue(), out);
      } else {
        out.writeByte(REMOVED);
      }
    }
  }

  private static int code(ChangeRecord record) {
    return switch (record.type()) {
      case PUT -> 1;
      case UPDATE -> 2;
      case DELETE -> record.deletionCause().map(ChangeRecordSerializer::code).orElse(3);
    };
  }

  private static int code(DeletionCause cause) {
    return switch (cause) {
      case EXPIRED -> 4;
      case SESSION_ENDED -> 5;
    };
  }

  private static void writeValue(ColumnValue value, DataOutputView out) throws IOException {
    if (value instanceof IntegerValue integer) {
      out.writeByte(INTEGER);
      out.writeLong(integer.value());
    } else if (value instanceof DoubleValue number) {
      out.writeByte(DOUBLE);
      out.writeDouble(number.value());
    } else if (value instanceof BooleanValue truth) {
      out.writeByte(BOOLEAN);
      out.writeBoolean(truth.value());
    } else if (value instanceof StringValue text) {
      out.writeByte(STRING);
      writeBytes(text.value().getBytes(StandardCharsets.UTF_8), out);
    } else {
      out.writeByte(BINARY);
      writeBytes(((BinaryValue) value).value().toByteArray(), out);
    }
  }

  private static void writeBytes(byte[] bytes, DataOutputView out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public ChangeRecord deserialize(DataInputView in) throws IOException {
    int code = in.readUnsignedByte();
    RecordType type =
        switch (code) {
          case 1 -> RecordType.PUT;
          case 2 -> RecordType.UPDATE;
          case 3, 4, 5 -> RecordType.DELETE;
          default -> throw new IOException("a change of the unknown type " + code);
        };
    Optional<DeletionCause> cause =
        switch (code) {
          case 4 -> Optional.of(DeletionCause.EXPIRED);
          case 5 -> Optional.of(DeletionCause.SESSION_ENDED);
          default -> Optional.empty();
        };
    int partition = in.readInt();
    long position = in.readLong();
    long commitMicros = in.readLong();
    List<PrimaryKeyColumn> key = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = readText(in);
      key.add(
          new PrimaryKeyColumn(
              name, PrimaryKeyValue.fromColumn(readValue(in.readUnsignedByte(), in))));
    }
    List<RecordColumn> columns = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = readText(in);
      int tag = in.readUnsignedByte();
      columns.add(
          tag == REMOVED
              ? RecordColumn.deleted(name)
              : RecordColumn.put(new Column(name, readValue(tag, in))));
    }
    return new ChangeRecord(
        type, partition, position, commitMicros, new PrimaryKey(key), columns, cause);
  }

  private static ColumnValue readValue(int tag, DataInputView in) throws IOException {
    return switch (tag) {
      case INTEGER -> ColumnValue.fromLong(in.readLong());
      case DOUBLE -> ColumnValue.fromDouble(in.readDouble());
      case BOOLEAN -> ColumnValue.fromBoolean(in.readBoolean());
      case STRING -> ColumnValue.fromString(readText(in));
      case BINARY -> ColumnValue.fromBinary(readBytes(in));
      default -> throw new IOException("a value with tag " + tag);
    };
  }

  private static String readText(DataInputView in) throws IOException {
    return new String(readBytes(in), StandardCharsets.UTF_8);
  }

  private static byte[] readBytes(DataInputView in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public ChangeRecord deserialize(ChangeRecord reuse, DataInputView in) throws IOException {
    return deserialize(in);
  }

  @Override
  public void copy(DataInputView in, DataOutputView out) throws IOException {
    serialize(deserialize(in), out);
  }

  @Override
  public TypeSerializerSnapshot<ChangeRecord> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Names the serializer in a checkpoint; Flink creates the snapshot by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<ChangeRecord> {

    /** A snapshot of version 1, the only version. */
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
