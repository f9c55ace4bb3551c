package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The answer to a batch as bytes, but for its positions: for each error code of rejected rows
 * {@code u16} code, a varint with the length of a bitmap, and the bitmap of the rows. So the bytes
 * are bounded by the rows of a batch and the few codes that a row is rejected with. Where rows
 * return something, {@code u16} 0 follows and what they return, as {@link ReturnedRow} has it; or
 * nothing, when that is more than {@link Limits#RETURNED_AGAIN_BYTES_MAX}.
 */
final class Rejected {

  /** Stands where the code of an error would. */
  private static final int RETURNED = 0;

  private Rejected() {}

  static Bytes encode(List<Rejection> rejections, List<ReturnedRow> returned) {
    if (rejections.isEmpty() && returned.isEmpty()) {
      return Bytes.EMPTY;
    }
    Map<Integer, BitSet> byCode = new TreeMap<>();
    for (Rejection rejection : rejections) {
      byCode
          .computeIfAbsent(rejection.code().code(), code -> new BitSet())
          .set(rejection.rowIndex());
    }
    ByteSink sink = new ByteSink(64);
    byCode.forEach(
        (code, rows) -> {
          byte[] bitmap = rows.toByteArray();
          sink.writeShort(code);
          sink.writeVarint(bitmap.length);
          sink.write(bitmap, 0, bitmap.length);
        });
    if (!returned.isEmpty()) {
      sink.writeShort(RETURNED);
      if (ReturnedRow.areKept(returned)) {
        ReturnedRow.write(sink, returned);
      }
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** The answer to a batch that came again. */
  static WriteResult decode(Bytes encoded, long firstPosition, int applied, ChangeBatch batch) {
    byte[] array = encoded.toByteArray();
    List<Rejection> rejections = new ArrayList<>();
    Optional<Bytes> returned = Optional.empty();
    for (int at = 0; at < array.length; ) {
      int code = Binary.getShort(array, at);
      if (code == RETURNED) {
        at += Short.BYTES;
        returned = Optional.of(Bytes.copyOf(array, at, array.length - at));
        break;
      }
      long length = Binary.getVarint(array, at + Short.BYTES, array.length);
      int start = Binary.next(length);
      at = start + Binary.value(length);
      BitSet rows = BitSet.valueOf(Arrays.copyOfRange(array, start, at));
      rows.stream().forEach(row -> rejections.add(new Rejection(row, ErrorCode.of(code))));
    }
    rejections.sort(Comparator.comparingInt(Rejection::rowIndex));
    WriteResult result = new WriteResult(firstPosition, applied, rejections);
    if (returned.isEmpty()) {
      return result;
    }
    List<ReturnedRow> again = ReturnedRow.read(returned.get(), applied + rejections.size());
    return result.returning(again.isEmpty() ? ReturnedRow.notKept(batch, rejections) : again);
  }
}
