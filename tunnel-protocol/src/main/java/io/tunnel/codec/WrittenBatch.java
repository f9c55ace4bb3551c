package io.tunnel.codec;

import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * What the first record of a writer's batch says of the batch in a log that nodes share. The other
 * records of the batch follow under the next sequences, and say nothing of their writer. Of a batch
 * whose rows are all rejected, a repair says so.
 *
 * <p>The value of attribute {@link FormatFeature#WRITTEN_BATCH}: {@value WrittenRows#WRITER_BYTES}
 * bytes of the writer, {@code u64} number, a varint with the number of records, and the answer up
 * to the end.
 *
 * @param writer who wrote the batch
 * @param number the writer's number of its batch
 * @param records how many records the batch has; 0 when all of its rows are rejected
 * @param answer what the leader answered to the batch, if all of the records count, as {@link
 *     WrittenRows#answer} has it
 */
public record WrittenBatch(Bytes writer, long number, int records, Bytes answer) {

  private static final int RECORDS_OFFSET = WrittenRows.WRITER_BYTES + Long.BYTES;

  /** Refuses writers and numbers that cannot be. */
  public WrittenBatch {
    if (writer.length() != WrittenRows.WRITER_BYTES || number < 1 || records < 0) {
      throw new MalformedException(
          records + " records as batch " + number + " of writer " + writer);
    }
  }

  /** Adds the attribute to a row's list, which does not have the attribute. */
  public Bytes addTo(Bytes attributes) {
    ByteSink value = new ByteSink(RECORDS_OFFSET + 5 + answer.length());
    value.write(writer);
    value.writeLong(number);
    value.writeVarint(records);
    value.write(answer);
    return Attributes.with(
        FormatFeature.WRITTEN_BATCH.number(),
        Bytes.copyOf(value.array(), 0, value.size()),
        attributes);
  }

  /** What a row's checked list says; empty for a record that is not the first of such a batch. */
  public static Optional<WrittenBatch> of(Bytes attributes) {
    byte[] list = attributes.toByteArray();
    return Attributes.find(FormatFeature.WRITTEN_BATCH.number(), list, 0, list.length)
        .map(value -> decode(value.toByteArray()));
  }

  private static WrittenBatch decode(byte[] value) {
    if (value.length < RECORDS_OFFSET) {
      throw new MalformedException("the writer of a batch in " + value.length + " bytes");
    }
    long records = Binary.getVarint(value, RECORDS_OFFSET, value.length);
    int at = Binary.next(records);
    return new WrittenBatch(
        Bytes.copyOf(value, 0, WrittenRows.WRITER_BYTES),
        Binary.getLong(value, WrittenRows.WRITER_BYTES),
        Binary.value(records),
        Bytes.copyOf(value, at, value.length - at));
  }
}
