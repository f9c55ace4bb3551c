package io.tunnel.sdk.write;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.wire.WriteResult;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the rows of a batch what became of them. */
final class Outcomes {

  private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);

  private Outcomes() {}

  /** Reads a write's answer, which must speak of as many rows as were sent. */
  static WriteResult read(byte[] payload, Batch batch) {
    WriteResult result = WriteResult.decode(payload);
    int rows = result.appliedRows() + result.rejections().size();
    if (rows != batch.rowCount()) {
      throw new MalformedException(
          "a write of " + batch.rowCount() + " rows was answered with " + rows);
    }
    return result;
  }

  /**
   * How many rows have an outcome. The others are the last of the batch: they were not applied,
   * because the node ceased to lead on the way or could not reach the log any more.
   */
  static int toldRows(WriteResult result, Batch batch) {
    List<WriteResult.Rejection> rejections = result.rejections();
    int told = batch.rowCount();
    for (int i = rejections.size() - 1; i >= 0; i--) {
      WriteResult.Rejection rejection = rejections.get(i);
      if (!rejection.code().retriable()) {
        break;
      }
      if (rejection.rowIndex() != told - 1) {
        throw new MalformedException(
            "row "
                + rejection.rowIndex()
                + " is to be sent again with "
                + rejection.code()
                + ", but not those behind it");
      }
      told--;
    }
    for (WriteResult.Rejection rejection : rejections) {
      if (rejection.rowIndex() < told && rejection.code().retriable()) {
        throw new MalformedException(
            "row " + rejection.rowIndex() + " is to be sent again, but not those behind it");
      }
    }
    return told;
  }

  /** Tells each of the first {@code rows} rows whether it was applied. */
  static void tell(Told rows, int partition, WriteResult result) {
    Iterator<WriteResult.Rejection> rejections = result.rejections().iterator();
    int nextRejected = Integer.MAX_VALUE;
    WriteResult.Rejection rejection = null;
    if (rejections.hasNext()) {
      rejection = rejections.next();
      nextRejected = rejection.rowIndex();
    }
    Iterator<WriteResult.Jump> jumps = result.jumps().iterator();
    WriteResult.Jump jump = jumps.hasNext() ? jumps.next() : null;
    long position = result.firstPosition();
    int applied = 0;
    for (int i = 0; i < rows.count(); i++) {
      if (i == nextRejected) {
        rows.tell(i, rejected(partition, rejection.code()));
        rejection = rejections.hasNext() ? rejections.next() : null;
        nextRejected = rejection == null ? Integer.MAX_VALUE : rejection.rowIndex();
      } else {
        if (jump != null && jump.applied() == applied) {
          position = jump.position();
          jump = jumps.hasNext() ? jumps.next() : null;
        }
        applied++;
        rows.tell(i, RowResult.applied(partition, position++));
      }
    }
  }

  /**
   * The rows of a batch that are told now.
   *
   * @param count the first so many
   * @param countdown counts those that are told when others are not; absent when it is all
   */
  record Told(Batch batch, int count, Optional<Countdown> countdown) {
    private void tell(int index, RowResult result) {
      RowCallback callback = batch.callback(index);
      Outcomes.tell(
          batch.row(index), countdown.map(c -> c.counting(callback)).orElse(callback), result);
    }
  }

  private static RowResult rejected(int partition, ErrorCode code) {
    String message =
        code == ErrorCode.CONDITION_FAILED
            ? "the row-existence condition did not hold"
            : "the server refused the row: " + code;
    return new RowResult(Outcome.REJECTED, partition, -1, Optional.of(code), message);
  }

  /** Tells every row the same. */
  static void tellAll(Batch batch, RowResult result) {
    for (int i = 0; i < batch.rowCount(); i++) {
      tell(batch, i, result);
    }
  }

  /** The result of rows whose batch failed so. */
  static RowResult failure(Outcome outcome, int partition, Throwable failure) {
    Optional<ErrorCode> code =
        failure instanceof RefusedException refused
            ? Optional.of(refused.code())
            : Optional.empty();
    return new RowResult(outcome, partition, -1, code, String.valueOf(failure.getMessage()));
  }

  private static void tell(Batch batch, int index, RowResult result) {
    tell(batch.row(index), batch.callback(index), result);
  }

  /** A callback that throws must not keep others from learning their results. */
  static void tell(RowChange row, RowCallback callback, RowResult result) {
    try {
      callback.completed(row, result);
    } catch (Throwable e) {
      LOG.error("the callback of row {} failed; its result was {}", row.primaryKey(), result, e);
    }
  }
}
