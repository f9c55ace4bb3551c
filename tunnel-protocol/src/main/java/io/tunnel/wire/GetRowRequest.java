package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.model.value.Bytes;

/**
 * One row by its key: {@code u32} table id, varint length, the key, and {@link ReadTerms}. The
 * answer is a {@link RowPage} of no or one row.
 */
public record GetRowRequest(int tableId, Bytes key, ReadTerms terms) {

  /** A request that is not strict, for a complete row. */
  public GetRowRequest(int tableId, Bytes key) {
    this(tableId, key, ReadTerms.BOUNDED);
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(11 + key.length() + terms.sizeHint());
    sink.writeInt(tableId);
    sink.writeVarint(key.length());
    sink.write(key);
    terms.write(sink);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static GetRowRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("get-row request", payload);
    int tableId = reader.readInt();
    Bytes key = reader.readSized();
    ReadTerms terms = ReadTerms.read(reader);
    reader.requireEnd();
    return new GetRowRequest(tableId, key, terms);
  }
}
