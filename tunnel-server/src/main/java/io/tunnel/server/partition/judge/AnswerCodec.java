package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The answer to a batch as bytes, but for its positions: for each error code of rejected rows
 * {@code u16} code, a varint with the length of a bitmap, and the bitmap of the rows. So the bytes
 * are bounded by the rows of a batch and the few codes that a row is rejected with. Where the
 * server numbered keys, {@code u16} 65535, a varint 8 and the {@code i64} first number follow.
 * Where rows return something, {@code u16} 0 follows and what they return, as {@link ReturnedRow}
 * has it; or nothing, when that is more than {@link Limits#RETURNED_AGAIN_BYTES_MAX}.
 *
 * <p>{@link #shortened} drops what rows return, and of an answer that is still long everything:
 * {@code u16} 65534 alone, for which no repetition gets an answer.
 */
public final class AnswerCodec {

  /** Stands where the code of an error would. */
  private static final int RETURNED = 0;

  /** Stands where the code of an error would, which is never so large. */
  private static final int NUMBERED = 0xffff;

  /** Stands for a complete answer that is not kept. */
  private static final int NOTHING_KEPT = 0xfffe;

  /** Bytes of a shortened answer, at most. */
  static final int SHORT_BYTES_MAX = 64;

  private AnswerCodec() {}

  /** The bytes of an answer to rows that name their keys. */
  public static Bytes encode(List<Rejection> rejections, List<ReturnedRow> returned) {
    return encode(rejections, returned, OptionalLong.empty());
  }

  /** The bytes. */
  public static Bytes encode(
      List<Rejection> rejections, List<ReturnedRow> returned, OptionalLong firstNumber) {
    if (rejections.isEmpty() && returned.isEmpty() && firstNumber.isEmpty()) {
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
    if (firstNumber.isPresent()) {
      sink.writeShort(NUMBERED);
      sink.writeVarint(Long.BYTES);
      sink.writeLong(firstNumber.getAsLong());
    }
    if (!returned.isEmpty()) {
      sink.writeShort(RETURNED);
      if (ReturnedRow.areKept(returned)) {
        ReturnedRow.write(sink, returned);
      }
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /**
   * An answer of {@value #SHORT_BYTES_MAX} bytes or less: without what rows return, and when that
   * is not enough, without anything.
   */
  public static Bytes shortened(Bytes encoded) {
    byte[] array = encoded.toByteArray();
    int returned = isKept(encoded) ? returnedFrom(array) : array.length;
    int left = Math.min(array.length, returned + Short.BYTES);
    return left <= SHORT_BYTES_MAX ? Bytes.copyOf(array, 0, left) : nothingKept();
  }

  /** Stands for an answer that was dropped. */
  public static Bytes nothingKept() {
    ByteSink sink = new ByteSink(Short.BYTES);
    sink.writeShort(NOTHING_KEPT);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static boolean isKept(Bytes encoded) {
    return encoded.length() != Short.BYTES
        || Binary.getShort(encoded.toByteArray(), 0) != NOTHING_KEPT;
  }

  /**
   * The rejected rows, in their order.
   *
   * @throws RefusedException WRITER_ENDED when the answer was dropped
   */
  public static List<Rejection> rejections(Bytes encoded) {
    if (!isKept(encoded)) {
      throw Writers.ended(
          "the server has dropped the answer to the writer's batch to save memory", 0);
    }
    byte[] array = encoded.toByteArray();
    int end = returnedFrom(array);
    List<Rejection> rejections = new ArrayList<>();
    for (int at = 0; at < end; ) {
      int code = Binary.getShort(array, at);
      long length = Binary.getVarint(array, at + Short.BYTES, end);
      int start = Binary.next(length);
      at = start + Binary.value(length);
      if (code == NUMBERED) {
        continue;
      }
      BitSet rows = BitSet.valueOf(Arrays.copyOfRange(array, start, at));
      rows.stream().forEach(row -> rejections.add(new Rejection(row, ErrorCode.of(code))));
    }
    rejections.sort(Comparator.comparingInt(Rejection::rowIndex));
    return rejections;
  }

  /** The number of the first row that asked for one, also for a batch that came again. */
  public static OptionalLong firstNumber(Bytes encoded) {
    byte[] array = encoded.toByteArray();
    int end = returnedFrom(array);
    for (int at = 0; at < end; ) {
      long length = Binary.getVarint(array, at + Short.BYTES, end);
      if (Binary.getShort(array, at) == NUMBERED) {
        return OptionalLong.of(Binary.getLong(array, Binary.next(length)));
      }
      at = Binary.next(length) + Binary.value(length);
    }
    return OptionalLong.empty();
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
