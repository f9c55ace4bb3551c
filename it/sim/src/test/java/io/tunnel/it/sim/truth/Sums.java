package io.tunnel.it.sim.truth;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Increments;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Increments, added a second time: each change of a log has in a column that was added to the value
 * that the changes before it left there, and what was added. Acknowledged changes stay, so a
 * counter is the sum of all that was acknowledged, and of some of what is in doubt.
 */
public final class Sums {

  private Sums() {}

  /** What a row of a WRITE adds to columns, in their order. */
  static Map<String, Long> addedBy(RowCursor row) {
    Map<String, Long> added = new LinkedHashMap<>();
    Optional<Increments> increments = row.increments();
    ColumnCursor columns = row.columns();
    for (int place = 0; increments.isPresent() && columns.next(); place++) {
      String name = row.batch().name(columns.nameIndex());
      increments.get().at(place).ifPresent(delta -> added.put(name, delta));
    }
    return added;
  }

  /** Whether a batch of a WRITE adds to a column. */
  public static boolean isAskedFor(ChangeBatch batch) {
    for (RowCursor row = batch.rows(); row.next(); ) {
      if (row.hasIncrements()) {
        return true;
      }
    }
    return false;
  }

  /** The change as its writer sent it, from a WRITE or from a log. */
  static String askedOf(RowCursor row, StreamRecord record) {
    Map<String, Long> added = addedBy(row);
    return record.getRecordType()
        + " "
        + record.getPrimaryKey()
        + " "
        + record.getColumns().stream()
            .map(
                column ->
                    Optional.ofNullable(added.get(column.name()))
                        .or(column::delta)
                        .map(delta -> column.name() + "+=" + delta)
                        .orElseGet(column::toString))
            .collect(Collectors.toList());
  }

  /** Whether a change of a log is the result of an increment. */
  public static boolean has(PartitionTruth.Change change) {
    return change.record().getColumns().stream().anyMatch(column -> column.delta().isPresent());
  }

  /** The change adds to what the changes before it left. */
  public static void require(RowFold before, PartitionTruth.Change change) {
    Bytes key = RowFold.encode(change.record().getPrimaryKey());
    NavigableMap<String, ColumnValue> row = before.rows().get(key);
    for (RecordColumn column : change.record().getColumns()) {
      if (column.delta().isPresent()) {
        ColumnValue found = row == null ? null : row.get(column.name());
        long delta = column.delta().get();
        Invariant.SUMS_HOLD.require(
            refusal(found, delta).isEmpty()
                && sum(found, delta).equals(number(column.getColumn().getValue())),
            "%s adds %d to %s of a row that was %s",
            change.text(),
            delta,
            column.name(),
            row);
      }
    }
  }

  /** Why a row refuses what is added to it; empty when it does not. */
  static Optional<ErrorCode> refusal(
      Map<String, Long> added, Optional<NavigableMap<String, ColumnValue>> row) {
    for (Map.Entry<String, Long> one : added.entrySet()) {
      ColumnValue found = row.map(columns -> columns.get(one.getKey())).orElse(null);
      Optional<ErrorCode> refusal = refusal(found, one.getValue());
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    return Optional.empty();
  }

  private static Optional<ErrorCode> refusal(ColumnValue found, long delta) {
    if (found != null && found.getType() != ColumnType.INTEGER) {
      return Optional.of(ErrorCode.NOT_AN_INTEGER);
    }
    return sum(found, delta).bitLength() < Long.SIZE
        ? Optional.empty()
        : Optional.of(ErrorCode.INTEGER_OVERFLOW);
  }

  private static BigInteger sum(ColumnValue found, long delta) {
    return number(found).add(BigInteger.valueOf(delta));
  }

  private static BigInteger number(ColumnValue found) {
    return found == null ? BigInteger.ZERO : BigInteger.valueOf(found.asLong());
  }
}
