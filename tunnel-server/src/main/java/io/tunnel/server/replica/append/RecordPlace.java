package io.tunnel.server.replica.append;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.Optional;

/**
 * Where a record of a log of appends is, and its header. A node's local log has the place of each
 * record that counts, of each marker, and of each record that ends an epoch, in a batch without
 * rows after the batches of the record. At a start the places say how far the local log goes.
 *
 * <pre>
 *   i64 offset | i64 offset of what is proven | i32 leader epoch there
 *   | u8 1 where a trim follows: i64 position | i64 offset | i64 block
 *   | header
 * </pre>
 *
 * <p>A node must know what is trimmed before the node serves old changes, so the place of a record
 * that says a trim has the trim.
 *
 * @param proven up to where the shared log was known to have what the node has; of a record that
 *     was read, after the record
 * @param trim what the record says of trimmed changes; of a TRIM and of a SNAPSHOT
 */
record RecordPlace(
    int partition, long offset, Proven proven, AppendHeader header, Optional<Trim> trim) {

  private static final int FIXED_BYTES = 2 * Long.BYTES + Integer.BYTES + 1;
  private static final int TRIM_BYTES = 3 * Long.BYTES;

  /** The place of a record that says no trim. */
  RecordPlace(int partition, long offset, Proven proven, AppendHeader header) {
    this(partition, offset, proven, header, Optional.empty());
  }

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
    boolean hasTrim = value[FIXED_BYTES - 1] == 1;
    int from = FIXED_BYTES + (hasTrim ? TRIM_BYTES : 0);
    if (value.length < from) {
      throw new MalformedException("a place of a trim with " + value.length + " bytes");
    }
    byte[] header = new byte[value.length - from];
    System.arraycopy(value, from, header, 0, header.length);
    return new RecordPlace(
        partition,
        Binary.getLong(value, 0),
        new Proven(Binary.getLong(value, Long.BYTES), Binary.getInt(value, 2 * Long.BYTES)),
        AppendHeader.decode(header),
        hasTrim ? Optional.of(trim(value)) : Optional.empty());
  }

  private static Trim trim(byte[] value) {
    return new Trim(
        Binary.getLong(value, FIXED_BYTES),
        Binary.getLong(value, FIXED_BYTES + Long.BYTES),
        Binary.getLong(value, FIXED_BYTES + 2 * Long.BYTES));
  }

  /**
   * A batch that says the place.
   *
   * @param position of the next change after the record
   * @param commitMicros of the last change up to there
   */
  ChangeBatch batch(long position, long commitMicros) {
    byte[] encoded = header.encode();
    ByteSink sink = new ByteSink(FIXED_BYTES + TRIM_BYTES + encoded.length);
    sink.writeLong(offset);
    sink.writeLong(proven.offset());
    sink.writeInt(proven.leaderEpoch());
    sink.writeByte(trim.isPresent() ? 1 : 0);
    trim.ifPresent(
        said -> {
          sink.writeLong(said.position());
          sink.writeLong(said.offset());
          sink.writeLong(said.block());
        });
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
