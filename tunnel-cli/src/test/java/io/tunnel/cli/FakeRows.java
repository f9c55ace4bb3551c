package io.tunnel.cli;

import io.tunnel.cli.service.Service;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.RowSelection;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Predicate;

/** Rows of a {@link FakeService}, looked at one by one. */
final class FakeRows implements Service.Rows {

  /** 2026-11-27, a quarter of a second after midnight. */
  static final long COMMIT_MICROS = 1_795_737_600_250_000L;

  private final Iterator<Row> rows;
  private final Predicate<Row> condition;
  private final RowSelection selection;
  private long left;
  private long lookedAt;
  private Optional<Row> next = Optional.empty();

  FakeRows(Iterator<Row> rows, Predicate<Row> condition, RowSelection selection, long limit) {
    this.rows = rows;
    this.selection = selection;
    this.condition = condition;
    this.left = limit;
  }

  /** What a selection answers of a row; fake rows were committed at {@link #COMMIT_MICROS}. */
  static Row cut(Row row, RowSelection selection) {
    return new Row(
        row.primaryKey(),
        row.columns().stream()
            .filter(
                column ->
                    selection.columns().map(all -> all.contains(column.getName())).orElse(true))
            .toList(),
        selection.hasCommitTimes() ? Optional.of(COMMIT_MICROS) : Optional.empty());
  }

  /** Judges rows as a server does, in batches of one row. */
  static Predicate<Row> judged(List<PrimaryKeySchema> key, RowSelection selection) {
    if (selection.condition().isEmpty()) {
      return row -> true;
    }
    Judge judge = new Judge(selection.condition().get(), ConditionPlace.ofRows(key));
    return row -> {
      BatchBuilder builder = new BatchBuilder(key, 256);
      builder.add(new RowPutChange(row.primaryKey(), row.columns()));
      byte[] bytes = builder.build(1, 1, 1);
      RowCursor cursor = ChangeBatch.parse(bytes, 0, bytes.length).rows();
      return cursor.next() && judge.holdsOf(cursor);
    };
  }

  @Override
  public boolean hasNext() {
    while (next.isEmpty() && left > 0 && rows.hasNext()) {
      Row row = rows.next();
      lookedAt++;
      if (condition.test(row)) {
        next = Optional.of(cut(row, selection));
        left--;
      }
    }
    return next.isPresent();
  }

  @Override
  public Row next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no more rows");
    }
    Row row = next.orElseThrow();
    next = Optional.empty();
    return row;
  }

  @Override
  public long lookedAt() {
    return lookedAt;
  }
}
