package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rejected rows of a batch as bytes: for each error code {@code u16} code, a varint with the
 * length of a bitmap, and the bitmap of the rows. So the bytes are bounded by the rows of a batch
 * and the few codes that a row is rejected with.
 */
final class Rejected {

  private Rejected() {}

  static Bytes encode(List<Rejection> rejections) {
    if (rejections.isEmpty()) {
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
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  static List<Rejection> decode(Bytes encoded) {
    byte[] array = encoded.toByteArray();
    List<Rejection> rejections = new ArrayList<>();
    for (int at = 0; at < array.length; ) {
      ErrorCode code = ErrorCode.of(Binary.getShort(array, at));
      long length = Binary.getVarint(array, at + Short.BYTES, array.length);
      int start = Binary.next(length);
      at = start + Binary.value(length);
      BitSet rows = BitSet.valueOf(Arrays.copyOfRange(array, start, at));
      rows.stream().forEach(row -> rejections.add(new Rejection(row, code)));
    }
    rejections.sort(Comparator.comparingInt(Rejection::rowIndex));
    return rejections;
  }
}
