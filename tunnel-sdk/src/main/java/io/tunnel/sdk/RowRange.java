package io.tunnel.sdk;

import io.tunnel.codec.RowCursor;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.Direction;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The rows of a range. Iterating fetches page by page, each page at its own moment; every {@link
 * #iterator()} reads anew. An iteration may or may not see a concurrent write.
 */
public final class RowRange implements Iterable<Row> {

  private static final int PAGE_BYTES = 1 << 20;

  private final TableReads reads;
  private final RangeQuery query;
  private final Optional<Condition> condition;

  RowRange(TableReads reads, RangeQuery query) {
    this(reads, query, Optional.empty());
  }

  private RowRange(TableReads reads, RangeQuery query, Optional<Condition> condition) {
    this.reads = reads;
    this.query = query;
    this.condition = condition;
  }

  /**
   * The rows of this range of which a condition holds; the query's limit counts these rows. The
   * client judges the rows, so all rows of the range travel to it.
   *
   * <p>Iterating throws {@link IllegalArgumentException} when the condition names a change, or
   * compares a column of the table's key with a value that never compares with it.
   */
  public RowRange where(Condition holds) {
    return new RowRange(
        reads, query, Optional.of(condition.map(before -> before.and(holds)).orElse(holds)));
  }

  /**
   * Starts at the range's beginning; methods of the iterator throw as {@link TableClient#getRow}
   * does.
   */
  @Override
  public RowIterator iterator() {
    return new RowIterator();
  }

  /** One reading of the range. */
  public final class RowIterator implements Iterator<Row> {

    private Bytes from = reads.bound(query.from());
    private Bytes to = reads.bound(query.to());
    private long left = query.limit();
    private boolean isLastPage = query.limit() == 0;
    private Iterator<Row> page = List.<Row>of().iterator();
    private long rowsJudged;

    /** The judge for keys of {@link #judged}; absent before the first page. */
    private Optional<Judge> judge = Optional.empty();

    private List<PrimaryKeySchema> judged = List.of();

    private RowIterator() {}

    /**
     * Rows that were looked at for the rows returned so far and those already fetched: all rows
     * that came from the server, up to the one that filled the limit.
     */
    public long rowsLookedAt() {
      return rowsJudged;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && !isLastPage) {
        fetch();
      }
      return page.hasNext();
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException("the range has no more rows");
      }
      return page.next();
    }

    private void fetch() {
      // How many rows must be looked at for those that are left, only the rows tell.
      int rowsMax = condition.isEmpty() ? (int) Math.min(query.pageRows(), left) : query.pageRows();
      RangePage fetched =
          reads.page(
              id ->
                  new RangeRequest(
                      id,
                      query.direction(),
                      rowsMax,
                      PAGE_BYTES,
                      from,
                      to,
                      query.mode() == ReadMode.STRICT));
      List<Row> rows = new ArrayList<>(fetched.rows().rowCount());
      List<PrimaryKeySchema> schema = reads.schema();
      for (RowCursor row = fetched.rows().rows(); rows.size() < left && row.next(); ) {
        rowsJudged++;
        if (holdsOf(row, schema)) {
          rows.add(reads.decode(row, schema));
        }
      }
      left -= rows.size();
      isLastPage = fetched.next().isEmpty() || left <= 0;
      if (query.direction() == Direction.FORWARD) {
        from = fetched.next().orElse(from);
      } else {
        to = fetched.next().orElse(to);
      }
      page = rows.iterator();
    }

    private boolean holdsOf(RowCursor row, List<PrimaryKeySchema> schema) {
      if (condition.isEmpty()) {
        return true;
      }
      // A table that was dropped and made again may have another key.
      if (judge.isEmpty() || !judged.equals(schema)) {
        judge = Optional.of(new Judge(condition.get(), ConditionPlace.ofRows(schema)));
        judged = schema;
      }
      return judge.get().holdsOf(row);
    }
  }
}
