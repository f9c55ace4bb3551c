package io.tunnel.codec;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;

/** A batch written byte by byte, so that it can say what no builder would. */
final class RawBatch {

  private final ByteSink rows = new ByteSink(256);
  private final ByteSink names = new ByteSink(64);
  private int rowCount;
  private int nameCount;

  RawBatch name(String name) {
    Utf8.writeSized(names, name);
    nameCount++;
    return this;
  }

  RawBatch row(ChangeKind kind, PrimaryKeyValue key, String columns) {
    return row(kind.code(), KeyCodec.encode(key).toString(), columns);
  }

  RawBatch row(
      ChangeKind kind, RowExistenceExpectation condition, PrimaryKeyValue key, String columns) {
    return row(
        kind.code() | condition.code() << BatchLayout.CONDITION_SHIFT,
        KeyCodec.encode(key).toString(),
        columns);
  }

  /** A row of these flags, and the key and the columns with their count in hexadecimal. */
  RawBatch row(int flags, String keyHex, String columnsHex) {
    int keyBytes = keyHex.length() / 2;
    rows.writeVarint(1 + Binary.varintBytes(keyBytes) + keyBytes + columnsHex.length() / 2);
    rows.writeByte(flags);
    rows.writeVarint(keyBytes);
    rows.write(Bytes.fromHex(keyHex + columnsHex));
    rowCount++;
    return this;
  }

  ChangeBatch build() {
    ByteSink sink = new ByteSink(256);
    sink.skip(ChangeBatch.HEADER_BYTES_MIN);
    sink.write(rows.array(), 0, rows.size());
    sink.write(names.array(), 0, names.size());
    byte[] bytes = sink.toByteArray();
    BatchBuilder.writeHeader(bytes, 0, bytes.length, nameCount, 1, rowCount, rows.size());
    BatchBuilder.stamp(bytes, 0, 0, 0);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }
}
