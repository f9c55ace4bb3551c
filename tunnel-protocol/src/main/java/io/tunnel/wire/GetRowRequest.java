package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.model.value.Bytes;

/**
 * One row by its key: {@code u32} table id, varint length, the key, and {@link ReadFlags} unless
 * they are 0. The answer is a batch of no or one PUT row.
 *
 * @param isStrict whether the answer must contain every write acknowledged before the request
 */
public record GetRowRequest(int tableId, Bytes key, boolean isStrict) {

  /** A request that is not strict. */
  public GetRowRequest(int tableId, Bytes key) {
    this(tableId, key, false);
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(11 + key.length());
    sink.writeInt(tableId);
    sink.writeVarint(key.length());
    sink.write(key);
    ReadFlags.write(sink, isStrict);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static GetRowRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("get-row request", payload);
    int tableId = reader.readInt();
    Bytes key = reader.readSized();
    boolean isStrict = ReadFlags.readStrict(reader);
    reader.requireEnd();
    return new GetRowRequest(tableId, key, isStrict);
  }
}
