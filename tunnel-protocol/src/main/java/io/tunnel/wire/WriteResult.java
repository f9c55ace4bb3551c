package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcomes of the rows of a write: {@code i64} position of the first applied row, {@code u32}
 * number of applied rows, {@code u32} number of rejected rows, then {@code u32} index and {@code
 * u16} error code of each rejected row in rising order. Applied rows have consecutive positions,
 * unless a shared log has other records between them. In this case {@code u32} number of jumps
 * follows, and per jump {@code u32} number of the applied row, from 0, and {@code i64} position.
 * What rows return comes last, as {@link ReturnedRow} has it; then the number of jumps is there,
 * and may be 0.
 *
 * @param jumps in rising order; none when all positions are consecutive
 * @param returned in the order of the rows; none when no row asked for anything
 */
public record WriteResult(
    long firstPosition,
    int appliedRows,
    List<Rejection> rejections,
    List<Jump> jumps,
    List<ReturnedRow> returned) {

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

  /**
   * An applied row whose position does not follow the previous one.
   *
   * @param applied the number of the row among the applied rows, from 0
   * @param position the row's position
   */
  public record Jump(int applied, long position) {}

  /** Copies the lists. */
  public WriteResult {
    rejections = List.copyOf(rejections);
    jumps = List.copyOf(jumps);
    returned = List.copyOf(returned);
  }

  /** A result whose applied rows have consecutive positions, and that returns nothing. */
  public WriteResult(long firstPosition, int appliedRows, List<Rejection> rejections) {
    this(firstPosition, appliedRows, rejections, List.of(), List.of());
  }

  /** The same result whose rows return this. */
  public WriteResult returning(List<ReturnedRow> rows) {
    return new WriteResult(firstPosition, appliedRows, rejections, jumps, rows);
  }

  /** The answer to a repetition of the batch, which keeps little of what rows return. */
  public WriteResult again(ChangeBatch batch) {
    return ReturnedRow.areKept(returned) ? this : returning(ReturnedRow.notKept(batch, rejections));
  }

  /** The position of an applied row, by its number among the applied rows, from 0. */
  public long positionOf(int applied) {
    long position = firstPosition + applied;
    for (Jump jump : jumps) {
      if (jump.applied() > applied) {
        break;
      }
      position = jump.position() + applied - jump.applied();
    }
    return position;
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(20 + 6 * rejections.size() + 12 * jumps.size());
    sink.writeLong(firstPosition);
    sink.writeInt(appliedRows);
    sink.writeInt(rejections.size());
    for (Rejection rejection : rejections) {
      sink.writeInt(rejection.rowIndex());
      sink.writeByte(rejection.code().code() >>> 8);
      sink.writeByte(rejection.code().code());
    }
    if (!jumps.isEmpty() || !returned.isEmpty()) {
      sink.writeInt(jumps.size());
      for (Jump jump : jumps) {
        sink.writeInt(jump.applied());
        sink.writeLong(jump.position());
      }
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
    List<Jump> jumps = reader.left() > 0 ? jumps(reader, firstPosition, applied) : List.of();
    List<ReturnedRow> returned =
        reader.left() > 0
            ? ReturnedRow.read(reader.readRest(Limits.FRAME_BYTES_MAX), applied + rejected)
            : List.of();
    return new WriteResult(firstPosition, applied, rejections, jumps, returned);
  }

  private static List<Jump> jumps(PayloadReader reader, long firstPosition, int applied) {
    int count = reader.readInt();
    boolean isWithoutJumps = count == 0 && reader.left() > 0;
    if (!isWithoutJumps && (count < 1 || count >= applied)) {
      throw new MalformedException(
          "a write result of " + applied + " applied rows jumps " + count + " times");
    }
    List<Jump> jumps = new ArrayList<>();
    Jump before = new Jump(0, firstPosition);
    for (int i = 0; i < count; i++) {
      Jump jump = new Jump(reader.readInt(), reader.readLong());
      long expected = before.position() + jump.applied() - before.applied();
      if (jump.applied() <= before.applied()
          || jump.applied() >= applied
          || jump.position() <= expected) {
        throw new MalformedException("a write result has " + jump + " behind " + before);
      }
      jumps.add(jump);
      before = jump;
    }
    return jumps;
  }
}
