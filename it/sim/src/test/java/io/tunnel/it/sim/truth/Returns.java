package io.tunnel.it.sim.truth;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What rows of a write return: the columns that the row has behind the change, or has at the moment
 * at which the change was refused.
 */
public final class Returns {

  private static final List<Returning> ASKED =
      List.of(
          Returning.KEY,
          Returning.columns("v", "p"),
          Returning.columns("d", "nobody", "c"),
          Returning.columns("c", "p").whenRefused());

  private final SplittableRandom random;

  /** Chances that follow from the seed of a world, apart from the other chances. */
  public Returns(long seed) {
    random = new SplittableRandom(~seed * 37);
  }

  /** The change; one in four asks for its key or its columns. */
  public RowChange maybe(RowChange change) {
    return random.nextInt(4) == 0
        ? change.returning(ASKED.get(random.nextInt(ASKED.size())))
        : change;
  }

  /** What the rows of a batch returned, by their indexes. */
  static Map<Integer, Row> of(ChangeBatch batch, WriteResult result) {
    Map<Integer, ReturnedRow> returned = new HashMap<>();
    result.returned().forEach(row -> returned.put(row.rowIndex(), row));
    Map<Integer, ErrorCode> rejected = new HashMap<>();
    result.rejections().forEach(row -> rejected.put(row.rowIndex(), row.code()));
    Map<Integer, Row> rows = new TreeMap<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      ErrorCode code = rejected.get(row.index());
      boolean isAnswered =
          code != ErrorCode.BATCH_REFUSED
              && row.returning().filter(asked -> asked.isOf(code == null)).isPresent();
      ReturnedRow found = returned.remove(row.index());
      Invariant.RETURNS_HOLD.require(
          isAnswered == (found != null),
          "row %d of a write, which asks for %s, was answered with %s and returns %s",
          row.index(),
          row.returning(),
          code,
          found);
      rows.put(row.index(), new Row(row.returning(), Optional.ofNullable(found)));
    }
    return rows;
  }

  /** A row's request for its key or columns, and the result. */
  record Row(Optional<Returning> asked, Optional<ReturnedRow> returned) {

    /** Whether the row would return this where it is as a fold has it. */
    boolean isOf(RowFold fold, Bytes key) {
      if (returned.isEmpty()) {
        return true;
      }
      NavigableMap<String, ColumnValue> row = fold.rows().get(key);
      if (row == null) {
        return returned.get().kind() == ReturnedRow.Kind.ABSENT;
      }
      Map<String, ColumnValue> expected = new TreeMap<>(row);
      expected.keySet().retainAll(asked.orElseThrow().columns());
      return returned.get().kind() == ReturnedRow.Kind.GIVEN && columns().equals(expected);
    }

    private Map<String, ColumnValue> columns() {
      Map<String, ColumnValue> columns = new TreeMap<>();
      for (ColumnCursor column = returned.orElseThrow().cursor(); column.next(); ) {
        columns.put(asked.orElseThrow().columns().get(column.nameIndex()), column.value());
      }
      return columns;
    }

    /** The change is applied at a position. */
    void requireApplied(Bytes key, PartitionTruth truth, long position) {
      Invariant.RETURNS_HOLD.require(
          returned.isEmpty() || isOf(truth.fold(position), key),
          "row %s returns %s at position %d of partition %d, and is %s",
          key,
          this,
          position,
          truth.id,
          truth.fold(position).rows().get(key));
    }
  }
}
