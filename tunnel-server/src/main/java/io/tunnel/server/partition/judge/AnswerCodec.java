package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The answer to a batch as bytes, but for its positions: for each error code of rejected rows
 * {@code u16} code, a varint with the length of a bitmap, and the bitmap of the rows. So the bytes
 * are bounded by the rows of a batch and the few codes that a row is rejected with. Where rows
 * return something, {@code u16} 0 follows and what they return, as {@link ReturnedRow} has it; or
 * nothing, when that is more than {@link Limits#RETURNED_AGAIN_BYTES_MAX}.
 */
public final class AnswerCodec {

  /** Stands where the code of an error would. */
  private static final int RETURNED = 0;

  private AnswerCodec() {}

  /** The bytes. */
  public static Bytes encode(List<Rejection> rejections, List<ReturnedRow> returned) {
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

  /** The rejected rows, in their order. */
  public static List<Rejection> rejections(Bytes encoded) {
    byte[] array = encoded.toByteArray();
    int end = returnedFrom(array);
    List<Rejection> rejections = new ArrayList<>();
    for (int at = 0; at < end; ) {
      int code = Binary.getShort(array, at);
      long length = Binary.getVarint(array, at + Short.BYTES, end);
      int start = Binary.next(length);
      at = start + Binary.value(length);
      BitSet rows = BitSet.valueOf(Arrays.copyOfRange(array, start, at));
      rows.stream().forEach(row -> rejections.add(new Rejection(row, ErrorCode.of(code))));
    }
    rejections.sort(Comparator.comparingInt(Rejection::rowIndex));
    return rejections;
  }

  /** What the rows return to a batch that came again. */
  public static List<ReturnedRow> returned(
      Bytes encoded, ChangeBatch batch, List<Rejection> rejections) {
    byte[] array = encoded.toByteArray();
    int at = returnedFrom(array);
    if (at == array.length) {
      return List.of();
    }
    Bytes returned = Bytes.copyOf(array, at + Short.BYTES, array.length - at - Short.BYTES);
    return returned.length() == 0
        ? ReturnedRow.notKept(batch, rejections)
        : ReturnedRow.read(returned, batch.rowCount());
  }

  /** Where the code 0 is that stands before what rows return; the end where no row asked. */
  private static int returnedFrom(byte[] array) {
    int at = 0;
    while (at < array.length && Binary.getShort(array, at) != RETURNED) {
      long length = Binary.getVarint(array, at + Short.BYTES, array.length);
      at = Binary.next(length) + Binary.value(length);
    }
    return at;
  }
}
