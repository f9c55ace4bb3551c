package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import java.util.ArrayList;
import java.util.List;

/** The batches of a record of a log of appends, as {@link GroupCore#encodeAppend} writes them. */
public final class AppendBatches {

  private AppendBatches() {}

  /**
   * Reads the value of a record. The batches share {@code value}, and no byte of it is copied.
   *
   * @param partition whose log has the record
   * @param first the position of the first change, as the header of the record says
   * @param changes of all batches, as the header says
   * @return the batches with rows, whose positions are dense, then those with answers to writers
   * @throws MalformedException when a byte was changed, or the batches are not what the header says
   */
  public static List<ChangeBatch> parse(byte[] value, int partition, long first, int changes) {
    List<ChangeBatch> batches = new ArrayList<>();
    long next = first;
    boolean hasAnswers = false;
    for (int offset = 0; offset < value.length; ) {
      ChangeBatch batch = ChangeBatch.parse(value, offset, value.length);
      offset += batch.byteCount();
      boolean hasRows = batch.rowCount() > 0;
      if (batch.partition() != partition) {
        throw new MalformedException(
            "a record of partition "
                + partition
                + " has a batch of partition "
                + batch.partition());
      }
      if (hasRows && (hasAnswers || batch.basePosition() != next)) {
        throw new MalformedException(
            "a record has a batch at position "
                + batch.basePosition()
                + " where "
                + next
                + " is the next");
      }
      hasAnswers |= !hasRows;
      next += batch.rowCount();
      batches.add(batch);
    }
    if (next - first != changes) {
      throw new MalformedException(
          "a record has " + (next - first) + " changes, and its header says " + changes);
    }
    return batches;
  }
}
