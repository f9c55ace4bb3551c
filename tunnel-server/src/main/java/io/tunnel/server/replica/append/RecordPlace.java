package io.tunnel.server.replica.append;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.Optional;

/**
 * Where a record of a log of appends is, and its header. A node's local log has the place of each
 * record that counts, of each marker, and of each record that ends an epoch, in a batch without
 * rows after the batches of the record. At a start the places say how far the local log goes.
 *
 * <pre>
 *   i64 offset | i64 offset of what is proven | i32 leader epoch there | header
 * </pre>
 *
 * @param proven up to where the shared log was known to have what the node has; of a record that
 *     was read, after the record
 */
record RecordPlace(int partition, long offset, Proven proven, AppendHeader header) {

  private static final int FIXED_BYTES = 2 * Long.BYTES + Integer.BYTES;

  /** The place that a batch without rows says; empty of answers to writers. */
  static Optional<RecordPlace> of(ChangeBatch batch) {
    return batch
        .attribute(FormatFeature.RECORD_PLACE)
        .map(value -> decode(batch.partition(), value.toByteArray()));
  }

  private static RecordPlace decode(int partition, byte[] value) {
    if (value.length < FIXED_BYTES) {
      throw new MalformedException("a place of a record with " + value.length + " bytes");
    }
    byte[] header = new byte[value.length - FIXED_BYTES];
    System.arraycopy(value, FIXED_BYTES, header, 0, header.length);
    return new RecordPlace(
        partition,
        Binary.getLong(value, 0),
        new Proven(Binary.getLong(value, Long.BYTES), Binary.getInt(value, 2 * Long.BYTES)),
        AppendHeader.decode(header));
  }

  /**
   * A batch that says the place.
   *
   * @param position of the next change after the record
   * @param commitMicros of the last change up to there
   */
  ChangeBatch batch(long position, long commitMicros) {
    byte[] encoded = header.encode();
    ByteSink sink = new ByteSink(FIXED_BYTES + encoded.length);
    sink.writeLong(offset);
    sink.writeLong(proven.offset());
    sink.writeInt(proven.leaderEpoch());
    sink.write(encoded, 0, encoded.length);
    byte[] batch =
        BatchBuilder.withoutRows(
            partition,
            FormatFeature.RECORD_PLACE,
            Bytes.copyOf(sink.array(), 0, sink.size()),
            position,
            commitMicros);
    return ChangeBatch.parse(batch, 0, batch.length);
  }
}
