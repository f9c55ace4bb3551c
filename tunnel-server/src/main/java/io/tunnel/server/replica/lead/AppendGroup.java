package io.tunnel.server.replica.lead;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.BatchRow;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Jump;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The entries of one append, and the writes that they come from. What counts of an append is its
 * beginning, so it is enough to know how many of its entries were read back.
 */
final class AppendGroup {

  private final long epoch;
  private final List<Entry> entries;

  /** Of each entry, where it stands in its writer's batch, if that can be taken as it is. */
  private final List<Optional<BatchRow>> rows;

  private final List<Piece> pieces;
  private final long[] offsets;
  private int readBack;
  private boolean isAnswered;

  /**
   * A write.
   *
   * @param rejections judged rows that are not applied, in their order
   * @param returned what judged rows return, in their order
   * @param from number of the entry of its first accepted row
   * @param judged the number of rows that were judged, the first ones; those that are not rejected
   *     are in this append. The writer sends the rows behind them again
   */
  record Piece(
      PendingWrite write,
      List<Rejection> rejections,
      List<ReturnedRow> returned,
      int from,
      int judged) {
    int appended() {
      return judged - rejections.size();
    }

    boolean isWhole() {
      return judged == write.batch().rowCount();
    }

    /** Entries that must be read back before the writer is told that no row is applied. */
    int proof() {
      return write.writer().isPresent() ? from + 1 : 1;
    }
  }

  AppendGroup(long epoch, List<Entry> entries, List<Optional<BatchRow>> rows, List<Piece> pieces) {
    this.epoch = epoch;
    this.entries = entries;
    this.rows = rows;
    this.pieces = pieces;
    this.offsets = new long[entries.size()];
  }

  long epoch() {
    return epoch;
  }

  List<Entry> entries() {
    return entries;
  }

  /**
   * Takes a record that counts.
   *
   * @throws IllegalStateException when it is of this leader, and not the next of this append
   */
  void read(Stored record) {
    if (record.entry().epoch() != epoch) {
      return;
    }
    if (!isNext(record.entry())) {
      throw new IllegalStateException(
          "record "
              + record.offset()
              + " of epoch "
              + epoch
              + " is not entry "
              + readBack
              + " of the append under way");
    }
    offsets[readBack++] = record.offset();
  }

  /**
   * The row of a record, as its writer sent it, if the record is the next of this append and the
   * row can be taken from there. Whether the record counts is for the log to say.
   */
  Optional<BatchRow> row(Stored record) {
    return record.entry().epoch() == epoch && isNext(record.entry())
        ? rows.get(readBack)
        : Optional.empty();
  }

  /**
   * Whether an entry of this epoch is the one to be read next. Nobody else has the epoch, and Kafka
   * has verified the bytes, so where the leader takes its own there is no need to compare more than
   * sequence, sizes and the checksum that ends the value.
   */
  private boolean isNext(Entry read) {
    if (readBack == entries.size()) {
      return false;
    }
    Entry next = entries.get(readBack);
    if (rows.get(readBack).isEmpty()) {
      return read.equals(next);
    }
    return read.sequence() == next.sequence()
        && read.kind() == next.kind()
        && read.key().length() == next.key().length()
        && read.attributes().equals(next.attributes())
        && isAlike(read.value(), next.value());
  }

  private static boolean isAlike(Optional<Bytes> read, Optional<Bytes> next) {
    if (read.isEmpty() || next.isEmpty()) {
      return read.isEmpty() && next.isEmpty();
    }
    return RecordCodec.isAlike(read.get(), next.get());
  }

  /** Whether all entries were read back. */
  boolean isWhole() {
    return readBack == entries.size();
  }

  boolean isAnswered() {
    return isAnswered;
  }

  /**
   * Answers all writes, unless they are answered.
   *
   * @param reason why what was not read back was refused
   * @return rows that were rejected by their condition
   */
  int answer(RefusedException reason) {
    if (isAnswered) {
      return 0;
    }
    isAnswered = true;
    int rejected = 0;
    for (Piece piece : pieces) {
      rejected += answer(piece, reason);
    }
    return rejected;
  }

  /** Refuses all writes, unless they are answered: what was read back of them is not folded. */
  void refuse(RefusedException reason) {
    if (!isAnswered) {
      isAnswered = true;
      pieces.forEach(piece -> piece.write().refused(reason));
    }
  }

  private int answer(Piece piece, RefusedException reason) {
    int applied = Math.min(piece.appended(), readBack - piece.from());
    boolean isCertain = reason.retriable();
    // What was judged is true if its judge led then, which the first entry read back proves. Of a
    // numbered batch without applied rows, an entry says so to the next leader.
    boolean isProved = applied > 0 || readBack >= piece.proof();
    boolean isAll = applied == piece.appended() && piece.isWhole() && isProved;
    if (isAll || (applied > 0 && isCertain)) {
      long first = applied == 0 ? 0 : offsets[piece.from()];
      int rows = piece.write().batch().rowCount();
      SettledRows settled = SettledRows.of(piece.rejections(), piece.judged(), applied, rows);
      WriteResult result =
          new WriteResult(
              first,
              applied,
              settled.rejections(),
              jumps(piece, applied),
              settled.returned(piece.returned()));
      piece.write().written(result);
      return piece.rejections().size();
    }
    piece.write().refused(reason);
    return 0;
  }

  /** Where records of others lie between those of the write. */
  private List<Jump> jumps(Piece piece, int applied) {
    List<Jump> jumps = new ArrayList<>();
    for (int i = 1; i < applied; i++) {
      long offset = offsets[piece.from() + i];
      if (offset != offsets[piece.from() + i - 1] + 1) {
        jumps.add(new Jump(i, offset));
      }
    }
    return jumps;
  }
}
