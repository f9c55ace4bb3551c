package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Durability;
import java.util.Optional;

/**
 * Rows to write to one partition: {@code u32} table id, {@code u8} durability (0 the table's, 1
 * FSYNC, 2 OS), then the batch.
 *
 * @param tableId the id of the table
 * @param durability the durability of the write instead of the table's
 * @param batch the rows
 */
public record WriteRequest(int tableId, Optional<Durability> durability, ChangeBatch batch) {

  /** Bytes before the batch. */
  public static final int PREFIX_BYTES = 5;

  private static final int TABLES_OWN = 0;

  /** Writes the bytes before the batch. */
  public static void writePrefix(
      byte[] array, int offset, int tableId, Optional<Durability> durability) {
    Binary.putInt(array, offset, tableId);
    array[offset + 4] = (byte) (durability.isPresent() ? durability.get().code() : TABLES_OWN);
  }

  /** The payload that writes a batch. */
  public static byte[] encode(int tableId, Optional<Durability> durability, byte[] batch) {
    byte[] payload = new byte[PREFIX_BYTES + batch.length];
    writePrefix(payload, 0, tableId, durability);
    System.arraycopy(batch, 0, payload, PREFIX_BYTES, batch.length);
    return payload;
  }

  /** Reads a payload; the batch is a view of it. */
  public static WriteRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("write request", payload);
    int tableId = reader.readInt();
    Optional<Durability> durability = durability(reader.readByte());
    ChangeBatch batch = ChangeBatch.parse(payload, reader.at(), payload.length);
    if (reader.at() + batch.byteCount() != payload.length) {
      throw new MalformedException("bytes after a write request's batch");
    }
    return new WriteRequest(tableId, durability, batch);
  }

  private static Optional<Durability> durability(int code) {
    if (code == TABLES_OWN) {
      return Optional.empty();
    }
    for (Durability level : Durability.values()) {
      if (level.code() == code) {
        return Optional.of(level);
      }
    }
    throw new MalformedException(
        "durability " + code + ", not 0 (the table's), 1 (FSYNC) or 2 (OS)");
  }
}
