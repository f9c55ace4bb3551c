package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.model.Bytes;

/**
 * One row by its key: {@code u32} table id, varint length, the key. The answer is a batch of no or
 * one PUT row.
 */
public record GetRowRequest(int tableId, Bytes key) {

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(10 + key.length());
    sink.writeInt(tableId);
    sink.writeVarint(key.length());
    sink.write(key);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static GetRowRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("get-row request", payload);
    int tableId = reader.readInt();
    Bytes key = reader.readSized();
    reader.requireEnd();
    return new GetRowRequest(tableId, key);
  }
}
