package io.tunnel.sdk.testing.table;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.RowSelection;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Collects the rows of one answer, and ends where the server's answer ends. */
final class RowAnswer {

  private final List<PrimaryKeySchema> schema;
  private final RowSelection selection;
  private final int rowsMax;
  private final int bytesMax;
  private final Optional<Judge> judge;
  private final BatchBuilder rows;
  private final List<Long> commitMicros = new ArrayList<>();
  private int rowsLooked;
  private int bytesLooked;

  RowAnswer(MemoryTable table, ReadTerms terms, int rowsMax, int bytesMax) {
    this.schema = table.meta().primaryKey();
    this.selection = terms.selection();
    this.rowsMax = rowsMax;
    this.bytesMax = bytesMax;
    this.rows = new BatchBuilder(schema, 256);
    try {
      var unused = selection.require(schema);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, e.getMessage());
    }
    this.judge =
        selection.condition().map(condition -> new Judge(condition, ConditionPlace.ofRows(schema)));
  }

  boolean isFull() {
    boolean isFilled =
        rows.rowCount() > 0 && (rows.rowCount() >= rowsMax || rows.byteCount() >= bytesMax);
    return rowsLooked > 0
        && (isFilled || rowsLooked >= Limits.PAGE_ROWS_MAX || bytesLooked >= Limits.PAGE_BYTES_MAX);
  }

  /** Looks at a row; false when the answer has no room for it. */
  boolean add(Bytes key, Row row) {
    if (isFull()) {
      return false;
    }
    ChangeBatch whole = alone(row, schema);
    if (judge.isEmpty() || holdsOf(judge.get(), whole)) {
      if (!rows.add(new RowPutChange(row.primaryKey(), chosen(row)))) {
        return false;
      }
      commitMicros.add(row.commitMicros().orElse(0L));
    }
    rowsLooked++;
    bytesLooked += key.length() + whole.rowsBytes();
    return true;
  }

  void addAbsent(Bytes key) {
    rowsLooked++;
    bytesLooked += key.length();
  }

  /** A batch of one row that is put. */
  static ChangeBatch alone(Row row, List<PrimaryKeySchema> schema) {
    BatchBuilder builder = new BatchBuilder(schema, 256);
    builder.add(new RowPutChange(row.primaryKey(), row.columns()));
    byte[] bytes = builder.build(1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  /** Type and value of each column of a row, by its name. */
  static Map<String, Bytes> columns(Row row, List<PrimaryKeySchema> schema) {
    ChangeBatch whole = alone(row, schema);
    Map<String, Bytes> encoded = new HashMap<>();
    RowCursor put = whole.rows();
    put.next();
    for (ColumnCursor column = put.columns(); column.next(); ) {
      int from = column.typeOffset();
      encoded.put(
          whole.name(column.nameIndex()),
          Bytes.copyOf(whole.array(), from, column.columnEnd() - from));
    }
    return encoded;
  }

  /** Judges the row of {@link #alone} as the server does: by its bytes. */
  static boolean holdsOf(Judge judge, ChangeBatch whole) {
    RowCursor row = whole.rows();
    return row.next() && judge.holdsOf(row);
  }

  private List<Column> chosen(Row row) {
    return row.columns().stream()
        .filter(
            column ->
                selection.columns().map(names -> names.contains(column.getName())).orElse(true))
        .toList();
  }

  byte[] encode(int partition, Optional<Bytes> next) {
    return RowPage.encode(
        next,
        new RowPage.Looked(rowsLooked, bytesLooked),
        rows.build(partition),
        selection.hasCommitTimes() ? Optional.of(commitMicros) : Optional.empty());
  }
}
