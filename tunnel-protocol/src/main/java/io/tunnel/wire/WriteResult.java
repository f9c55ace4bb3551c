package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of the rows of a write: {@code i64} position of the first applied row, {@code u32}
 * rows applied, {@code u32} rows rejected, then {@code u32} index and {@code u16} error code of
 * each rejected row in rising order. The k-th applied row has the position {@code firstPosition +
 * k}.
 */
public record WriteResult(long firstPosition, int appliedRows, List<Rejection> rejections) {

  /** A row that was not applied, and why. */
  public record Rejection(int rowIndex, ErrorCode code) {}

  /** Copies the list. */
  public WriteResult {
    rejections = List.copyOf(rejections);
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(16 + 6 * rejections.size());
    sink.writeLong(firstPosition);
    sink.writeInt(appliedRows);
    sink.writeInt(rejections.size());
    for (Rejection rejection : rejections) {
      sink.writeInt(rejection.rowIndex());
      sink.writeByte(rejection.code().code() >>> 8);
      sink.writeByte(rejection.code().code());
    }
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static WriteResult decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("write result", payload);
    long firstPosition = reader.readLong();
    int applied = reader.readInt();
    int rejected = reader.readInt();
    if (applied < 0 || rejected < 0 || applied + (long) rejected > Limits.BATCH_ROWS_MAX) {
      throw new MalformedException("a write result of " + applied + " and " + rejected + " rows");
    }
    List<Rejection> rejections = new ArrayList<>();
    int before = -1;
    for (int i = 0; i < rejected; i++) {
      int index = reader.readInt();
      if (index <= before || index >= applied + rejected) {
        throw new MalformedException("a write result rejects row " + index + " after " + before);
      }
      before = index;
      rejections.add(new Rejection(index, ErrorCode.of(reader.readShort())));
    }
    reader.requireEnd();
    return new WriteResult(firstPosition, applied, rejections);
  }
}
