package io.tunnel.sdk.write;

import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.Returned;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the answer to a write, and tells the rows of the batch their results. */
final class Outcomes {

  private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);

  private Outcomes() {}

  /** Reads the answer to a write, which must cover exactly the rows that were sent. */
  static WriteResult read(byte[] payload, Batch batch) {
    WriteResult result = WriteResult.decode(payload);
    int rows = result.appliedRows() + result.rejections().size();
    if (rows != batch.rowCount()) {
      throw new MalformedException(
          "a write of " + batch.rowCount() + " rows was answered with " + rows);
    }
    for (ReturnedRow returned : result.returned()) {
      Optional<Returning> asked = batch.row(returned.rowIndex()).returning();
      if (asked.isEmpty() || !isOf(returned, asked.get())) {
        throw new MalformedException(
            "row " + returned.rowIndex() + " returns what its change did not ask for");
      }
    }
    requireNumbers(result, batch);
    return result;
  }

  /** Refuses an answer without a number for an applied row that asked for one. */
  private static void requireNumbers(WriteResult result, Batch batch) {
    Iterator<WriteResult.Rejection> rejections = result.rejections().iterator();
    int rejected = rejections.hasNext() ? rejections.next().rowIndex() : -1;
    for (int i = 0; i < batch.rowCount() && result.firstNumber().isEmpty(); i++) {
      if (i == rejected) {
        rejected = rejections.hasNext() ? rejections.next().rowIndex() : -1;
      } else if (batch.row(i).primaryKey().isToBeNumbered()) {
        throw new MalformedException("row " + i + " is applied, and its key has no number");
      }
    }
  }

  /** Whether the columns are some of those that were asked for, whose places rise. */
  private static boolean isOf(ReturnedRow returned, Returning asked) {
    int last = -1;
    ColumnCursor columns = returned.cursor();
    while (columns.next()) {
      last = columns.nameIndex();
    }
    return last < asked.columns().size();
  }

  /**
   * How many rows have an outcome. The rows behind them were not applied, because the node lost its
   * leadership or its log in the middle of the batch.
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
                + " is retriable with "
                + rejection.code()
                + ", but a row behind it is not");
      }
      told--;
    }
    for (WriteResult.Rejection rejection : rejections) {
      if (rejection.rowIndex() < told && rejection.code().retriable()) {
        throw new MalformedException(
            "row " + rejection.rowIndex() + " is retriable, but a row behind it is not");
      }
    }
    return told;
  }

  /** The results of the first {@code told} rows. */
  static List<RowResult> of(Batch batch, int told, int partition, WriteResult result) {
    Iterator<WriteResult.Rejection> rejections = result.rejections().iterator();
    int nextRejected = Integer.MAX_VALUE;
    WriteResult.Rejection rejection = null;
    if (rejections.hasNext()) {
      rejection = rejections.next();
      nextRejected = rejection.rowIndex();
    }
    Iterator<ReturnedRow> returned = result.returned().iterator();
    ReturnedRow returns = returned.hasNext() ? returned.next() : null;
    long position = result.firstPosition();
    long number = result.firstNumber().orElse(0);
    List<RowResult> results = new ArrayList<>(told);
    for (int i = 0; i < told; i++) {
      PrimaryKey key = batch.row(i).primaryKey();
      boolean isNumbered = key.isToBeNumbered();
      if (isNumbered && result.firstNumber().isPresent()) {
        key = key.numbered(number++);
      }
      RowResult outcome;
      if (i == nextRejected) {
        outcome = rejected(batch.row(i), partition, rejection.code());
        rejection = rejections.hasNext() ? rejections.next() : null;
        nextRejected = rejection == null ? Integer.MAX_VALUE : rejection.rowIndex();
      } else {
        outcome = RowResult.applied(partition, position++);
        outcome = isNumbered ? outcome.withKey(key) : outcome;
      }
      if (returns != null && returns.rowIndex() == i) {
        outcome = outcome.returning(returned(batch.row(i), key, returns));
        returns = returned.hasNext() ? returned.next() : null;
      }
      results.add(outcome);
    }
    return results;
  }

  /**
   * Tells the first rows of a batch their results. Fewer rows than the batch has are told as
   * {@linkplain Batch#counted counted}, because the other rows end in another batch.
   */
  static void tell(Batch batch, List<RowResult> results) {
    boolean isWhole = results.size() == batch.rowCount();
    for (int i = 0; i < results.size(); i++) {
      tell(batch.row(i), isWhole ? batch.callback(i) : batch.counted(i), results.get(i));
    }
  }

  private static Returned returned(RowChange change, PrimaryKey key, ReturnedRow returns) {
    return switch (returns.kind()) {
      case GIVEN -> {
        List<String> names = change.returning().orElseThrow().columns();
        List<Column> columns = new ArrayList<>();
        for (ColumnCursor column = returns.cursor(); column.next(); ) {
          columns.add(new Column(names.get(column.nameIndex()), column.value()));
        }
        yield new Returned(Returned.Kind.ROW, Optional.of(new Row(key, columns)));
      }
      case ABSENT -> new Returned(Returned.Kind.ABSENT, Optional.empty());
      case NOT_KEPT -> new Returned(Returned.Kind.NOT_KEPT, Optional.empty());
      case TOO_LARGE -> new Returned(Returned.Kind.TOO_LARGE, Optional.empty());
    };
  }

  private static RowResult rejected(RowChange change, int partition, ErrorCode code) {
    String message = RowRefusals.message(change, code);
    return new RowResult(Outcome.REJECTED, partition, -1, Optional.of(code), message);
  }

  /** Tells every row of a batch the result of the batch. */
  static void tellAll(Batch batch, RowResult result) {
    for (int i = 0; i < batch.rowCount(); i++) {
      tell(batch.row(i), batch.callback(i), result);
    }
  }

  /** The result of the rows of a batch that failed with {@code failure}. */
  static RowResult failure(Outcome outcome, int partition, Throwable failure) {
    Optional<ErrorCode> code =
        failure instanceof RefusedException refused
            ? Optional.of(refused.code())
            : Optional.empty();
    return new RowResult(outcome, partition, -1, code, String.valueOf(failure.getMessage()));
  }

  /** Tells a row its result. A callback that throws does not keep other rows from theirs. */
  static void tell(RowChange row, RowCallback callback, RowResult result) {
    try {
      callback.completed(row, result);
    } catch (Throwable e) {
      LOG.error("the callback of row {} failed; its result was {}", row.primaryKey(), result, e);
    }
  }
}
