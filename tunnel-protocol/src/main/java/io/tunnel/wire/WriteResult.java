package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The outcomes of the rows of a write: {@code i64} position of the first applied row, {@code u32}
 * number of applied rows, {@code u32} number of rejected rows, then {@code u32} index and {@code
 * u16} error code of each rejected row in rising order. Applied rows have consecutive positions.
 * Where rows return something, or the server numbered a key, {@code u32} follows, of which the
 * highest bit says that {@code i64} first number is next, and all other bits are 0. What rows
 * return comes last, as {@link ReturnedRow} has it.
 *
 * @param returned in the order of the rows; none when no row asked for anything
 * @param firstNumber the number that the server chose for the key of the first row that asked for
 *     one; the next row that asked has the next number, whether rows before it are applied or not.
 *     Empty when no row with such a number is applied
 */
public record WriteResult(
    long firstPosition,
    int appliedRows,
    List<Rejection> rejections,
    List<ReturnedRow> returned,
    OptionalLong firstNumber) {

  /** The bit of a result that has a first number. */
  private static final int NUMBERED = 0x8000_0000;

  /** A rejected row and its error code. */
  public record Rejection(int rowIndex, ErrorCode code) {

    /** The rejections of an atomic batch of {@code rows} rows, of which this row is refused. */
    public List<Rejection> ofAll(int rows) {
      List<Rejection> all = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        all.add(i == rowIndex ? this : new Rejection(i, ErrorCode.BATCH_REFUSED));
      }
      return all;
    }
  }

  /** Copies the lists. */
  public WriteResult {
    rejections = List.copyOf(rejections);
    returned = List.copyOf(returned);
  }

  /** A result of rows that name their keys and return nothing. */
  public WriteResult(long firstPosition, int appliedRows, List<Rejection> rejections) {
    this(firstPosition, appliedRows, rejections, List.of(), OptionalLong.empty());
  }

  /** The same result whose rows return this. */
  public WriteResult returning(List<ReturnedRow> rows) {
    return new WriteResult(firstPosition, appliedRows, rejections, rows, firstNumber);
  }

  /** The same result of rows of which the server numbered some. */
  public WriteResult numbered(OptionalLong first) {
    return new WriteResult(firstPosition, appliedRows, rejections, returned, first);
  }

  /** The answer to a repetition of the batch, which keeps little of what rows return. */
  public WriteResult again(ChangeBatch batch) {
    return ReturnedRow.areKept(returned) ? this : returning(ReturnedRow.notKept(batch, rejections));
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(20 + 6 * rejections.size());
    sink.writeLong(firstPosition);
    sink.writeInt(appliedRows);
    sink.writeInt(rejections.size());
    for (Rejection rejection : rejections) {
      sink.writeInt(rejection.rowIndex());
      sink.writeByte(rejection.code().code() >>> 8);
      sink.writeByte(rejection.code().code());
    }
    if (!returned.isEmpty() || firstNumber.isPresent()) {
      sink.writeInt(firstNumber.isPresent() ? NUMBERED : 0);
      firstNumber.ifPresent(sink::writeLong);
      ReturnedRow.write(sink, returned);
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
    OptionalLong firstNumber = OptionalLong.empty();
    if (reader.left() > 0) {
      int bits = reader.readInt();
      if (bits == NUMBERED) {
        firstNumber = OptionalLong.of(reader.readLong());
      } else if (bits != 0 || reader.left() == 0) {
        throw new MalformedException(
            "a write result has bits %x and %d bytes after them".formatted(bits, reader.left()));
      }
    }
    List<ReturnedRow> returned =
        reader.left() > 0
            ? ReturnedRow.read(reader.readRest(Limits.FRAME_BYTES_MAX), applied + rejected)
            : List.of();
    return new WriteResult(firstPosition, applied, rejections, returned, firstNumber);
  }
}
