package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of one channel: {@code u32} handle, {@code i64} epoch, {@code i64} first position, then
 * batches in the form of the log. Rows before the first position are not part of the delivery: a
 * batch is sent completely even when the reader resumes inside it. The payload's length counts
 * against the channel's credit.
 */
public record Delivery(int handle, long epoch, long firstPosition, List<ChangeBatch> batches) {

  /** Bytes before the first batch. */
  public static final int PREFIX_BYTES = 20;

  /** Copies the list. */
  public Delivery {
    batches = List.copyOf(batches);
  }

  /** Writes the bytes before the batches. */
  public static void writePrefix(
      byte[] array, int offset, int handle, long epoch, long firstPosition) {
    Binary.putInt(array, offset, handle);
    Binary.putLong(array, offset + 4, epoch);
    Binary.putLong(array, offset + 12, firstPosition);
  }

  /** Reads a payload and verifies every batch's checksum; the batches are views of it. */
  public static Delivery decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("delivery", payload);
    int handle = reader.readInt();
    long epoch = reader.readLong();
    long firstPosition = reader.readLong();
    List<ChangeBatch> batches = new ArrayList<>();
    int at = reader.at();
    while (at < payload.length) {
      ChangeBatch batch = ChangeBatch.parse(payload, at, payload.length);
      batches.add(batch);
      at += batch.byteCount();
    }
    if (batches.isEmpty()) {
      throw new MalformedException("a delivery without a batch");
    }
    return new Delivery(handle, epoch, firstPosition, batches);
  }
}
