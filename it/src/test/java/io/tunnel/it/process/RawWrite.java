package io.tunnel.it.process;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.TableDescription;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The payload of a write, put together byte by byte, with values that no builder would write. The
 * checksum is right, so a server refuses the values and not the checksum.
 */
public final class RawWrite {

  private final TableDescription table;
  private final ByteSink rows = new ByteSink(256);
  private final ByteSink names = new ByteSink(64);
  private int rowCount;
  private int nameCount;

  public RawWrite(TableDescription table) {
    this.table = table;
  }

  /** One column of name 0, the INTEGER 1. */
  public static byte[] oneColumn() {
    return new byte[] {1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1};
  }

  public RawWrite name(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    names.writeVarint(bytes.length);
    names.write(bytes, 0, bytes.length);
    nameCount++;
    return this;
  }

  /** A row of a key that fits the table. */
  public RawWrite row(ChangeKind kind, PrimaryKey key, byte[] columns) {
    return row(kind.code(), KeyCodec.encode(key, table.meta().primaryKey()), columns);
  }

  public RawWrite row(int flags, Bytes key, byte[] columns) {
    ByteSink row = new ByteSink(16 + key.length() + columns.length);
    row.writeByte(flags);
    row.writeVarint(key.length());
    row.write(key);
    row.write(columns, 0, columns.length);
    rows.writeVarint(row.size());
    rows.write(row.array(), 0, row.size());
    rowCount++;
    return this;
  }

  /** The payload, for the table's first partition. */
  public byte[] payload() {
    return payload(table.partitions().get(0).id(), rowCount);
  }

  /** The payload with a header that states another number of rows. */
  public byte[] payload(int partition, int rowCountSaid) {
    ByteSink sink = new ByteSink(256);
    sink.skip(ChangeBatch.HEADER_BYTES_MIN);
    sink.write(rows.array(), 0, rows.size());
    sink.write(names.array(), 0, names.size());
    byte[] batch = sink.toByteArray();
    BatchBuilder.writeHeader(
        batch, 0, batch.length, nameCount, partition, rowCountSaid, rows.size());
    BatchBuilder.stamp(batch, 0, 0, 0);
    return WriteRequest.encode(table.tableId(), Optional.empty(), batch);
  }

  /** The payload of rows that a builder makes. */
  public static byte[] payload(TableMeta table, int tableId, int partition, List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(table.primaryKey(), 256);
    rows.forEach(row -> require(builder.add(row)));
    return WriteRequest.encode(tableId, Optional.empty(), builder.build(partition));
  }

  /** The payload of one row that has attributes. */
  public static byte[] payload(
      TableDescription table, int partition, RowChange row, Bytes attributes) {
    BatchBuilder builder = new BatchBuilder(table.meta().primaryKey(), 256);
    require(builder.addWithin(Limits.BATCH_BYTES_MAX, row, attributes));
    return WriteRequest.encode(table.tableId(), Optional.empty(), builder.build(partition));
  }

  private static void require(boolean added) {
    if (!added) {
      throw new AssertionError("the rows of a test fit a batch");
    }
  }
}
