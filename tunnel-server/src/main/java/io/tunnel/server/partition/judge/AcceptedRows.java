package io.tunnel.server.partition.judge;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Dictionary;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
import java.util.BitSet;

/**
 * Some rows of a batch as a batch of their own, which has only the names that these rows use. Names
 * keep their order, so an index never grows, and no row becomes longer. Attributes of the batch and
 * of the rows stay, but for conditions, which are evaluated.
 */
final class AcceptedRows {

  private final ChangeBatch batch;
  private final BitSet accepted;

  /** By its index in the batch, the index of a name that is used. */
  private final int[] newIndex;

  private AcceptedRows(ChangeBatch batch, BitSet accepted) {
    this.batch = batch;
    this.accepted = accepted;
    this.newIndex = new int[batch.nameCount()];
  }

  /** The rows whose indexes are set, at least one. */
  static ChangeBatch of(ChangeBatch batch, BitSet accepted) {
    return new AcceptedRows(batch, accepted).build();
  }

  private ChangeBatch build() {
    String[] names = renumber(usedNames());
    ByteSink sink = new ByteSink(batch.byteCount());
    sink.skip(ChangeBatch.HEADER_BYTES_MIN);
    RowCursor row = batch.rows();
    while (row.next()) {
      if (accepted.get(row.index())) {
        write(sink, row);
      }
    }
    int rowsBytes = sink.size() - ChangeBatch.HEADER_BYTES_MIN;
    byte[] dictionary = Dictionary.encode(names);
    sink.write(dictionary, 0, dictionary.length);
    byte[] array =
        BatchBuilder.complete(
            sink,
            names.length,
            batch.partition(),
            accepted.cardinality(),
            rowsBytes,
            batch.attributes());
    return ChangeBatch.parse(array, 0, array.length);
  }

  private BitSet usedNames() {
    BitSet used = new BitSet();
    RowCursor row = batch.rows();
    while (row.next()) {
      if (accepted.get(row.index())) {
        ColumnCursor columns = row.columns();
        while (columns.next()) {
          used.set(columns.nameIndex());
        }
      }
    }
    return used;
  }

  private String[] renumber(BitSet used) {
    String[] names = new String[used.cardinality()];
    int next = 0;
    for (int name = used.nextSetBit(0); name >= 0; name = used.nextSetBit(name + 1)) {
      names[next] = batch.name(name);
      newIndex[name] = next++;
    }
    return names;
  }

  private void write(ByteSink sink, RowCursor row) {
    int flagsOffset = row.keyOffset() - Binary.varintBytes(row.keyBytes()) - 1;
    int headBytes = row.columnsOffset() - flagsOffset;
    Bytes attributes = row.attributesToLog();
    int flags = batch.array()[flagsOffset] & ~RowCursor.ATTRIBUTES_FLAG;
    int attributesBytes = 0;
    if (attributes.length() > 0) {
      flags |= RowCursor.ATTRIBUTES_FLAG;
      attributesBytes = attributes.length() + Attributes.LENGTH_BYTES;
    }
    sink.writeVarint(headBytes + columnsBytes(row.columns()) + attributesBytes);
    sink.writeByte(flags);
    sink.write(batch.array(), flagsOffset + 1, headBytes - 1);
    ColumnCursor columns = row.columns();
    sink.writeVarint(columns.left());
    while (columns.next()) {
      sink.writeVarint(newIndex[columns.nameIndex()]);
      sink.write(batch.array(), columns.typeOffset(), columns.columnEnd() - columns.typeOffset());
    }
    if (attributes.length() > 0) {
      Attributes.writeBehind(sink, attributes);
    }
  }

  private int columnsBytes(ColumnCursor columns) {
    int bytes = Binary.varintBytes(columns.left());
    while (columns.next()) {
      bytes += Binary.varintBytes(newIndex[columns.nameIndex()]);
      bytes += columns.columnEnd() - columns.typeOffset();
    }
    return bytes;
  }
}
