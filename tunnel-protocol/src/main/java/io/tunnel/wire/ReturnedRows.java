package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.model.Limits;
import io.tunnel.model.Returning;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRow.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Collects what the rows of one write return, as the rows are evaluated: {@link
 * Limits#RETURNED_BYTES_MAX} bytes at most.
 */
public final class ReturnedRows {

  private final List<ReturnedRow> rows = new ArrayList<>();

  /** The sum of the columns of {@link #rows}, at most the limit. */
  private int bytes;

  /** Nothing is returned yet. */
  public ReturnedRows() {}

  /** Returned rows, in the order of the write; none when no row asked. */
  public List<ReturnedRow> rows() {
    return rows;
  }

  /** Bytes of the columns so far. */
  public int bytes() {
    return bytes;
  }

  /** Of an atomic batch only the refused row, the last one that was evaluated, returns anything. */
  public void keepOnly(int index) {
    rows.removeIf(row -> row.rowIndex() != index);
  }

  /**
   * Takes what an evaluated row returns.
   *
   * @param isApplied whether the change is applied; a change that is not leaves the row as it is
   * @param exists whether the row is there now
   * @param columns finds type and value of a column of the row
   */
  public void take(
      int index,
      Returning asked,
      boolean isApplied,
      boolean exists,
      Function<String, Optional<Bytes>> columns) {
    if (!asked.isOf(isApplied)) {
      return;
    }
    if (!exists) {
      rows.add(new ReturnedRow(index, Kind.ABSENT));
      return;
    }
    Optional<Bytes> encoded = encode(asked.columns(), columns);
    rows.add(
        encoded
            .map(given -> new ReturnedRow(index, Kind.GIVEN, given))
            .orElseGet(() -> new ReturnedRow(index, Kind.TOO_LARGE)));
    bytes += encoded.map(Bytes::length).orElse(0);
  }

  /** The columns as {@link ReturnedRow} has them; empty when they do not fit. */
  private Optional<Bytes> encode(List<String> names, Function<String, Optional<Bytes>> columns) {
    ByteSink found = new ByteSink(16 * names.size());
    int count = 0;
    for (int i = 0; i < names.size(); i++) {
      Optional<Bytes> column = columns.apply(names.get(i));
      if (column.isPresent()) {
        if (found.size() + column.get().length() > Limits.RETURNED_BYTES_MAX - bytes) {
          return Optional.empty();
        }
        found.writeVarint(i);
        found.write(column.get());
        count++;
      }
    }
    ByteSink all = new ByteSink(found.size() + 2);
    all.writeVarint(count);
    all.write(found.array(), 0, found.size());
    return Optional.of(Bytes.copyOf(all.array(), 0, all.size()));
  }
}
