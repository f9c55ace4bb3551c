package io.tunnel.sdk;

import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.Direction;
import io.tunnel.model.Row;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The rows of a range. Iterating fetches page by page, each page at its own moment; every {@link
 * #iterator()} reads anew. An iteration may or may not see a concurrent write.
 *
 * <p>The server judges and cuts the rows: rows and columns that are not asked for do not travel. A
 * page ends when the server has looked at 5,000 rows or 4 MiB, also when no row matched; the
 * iteration then asks for the next page. So a condition of which few rows hold reads the whole
 * range at the server, and counts against a quota for each row that was looked at.
 *
 * <pre>{@code
 * for (Row row : tables.getRange("orders", RangeQuery.ALL)
 *     .where(Condition.parse("state = \"open\" and price >= 100"))
 *     .withColumns("price")
 *     .withCommitTimes()) {
 *   System.out.println(row.primaryKey() + " since " + row.commitMicros().orElseThrow());
 * }
 * }</pre>
 */
public final class RowRange implements Iterable<Row> {

  private static final int PAGE_BYTES = 1 << 20;

  private final TableReads reads;
  private final RangeQuery query;
  private final RowSelection selection;

  RowRange(TableReads reads, RangeQuery query, RowSelection selection) {
    this.reads = reads;
    this.query = query;
    this.selection = selection;
  }

  /**
   * The rows of this range of which a condition holds; the query's limit counts these rows.
   *
   * <p>Iterating throws {@link IllegalArgumentException} when the condition names a change, or
   * compares a column of the table's key with a value that never compares with it.
   */
  public RowRange where(Condition holds) {
    return new RowRange(reads, query, selection.where(holds));
  }

  /**
   * The rows of this range with only these columns, 1,024 at most, and their keys. A row without
   * one of the columns comes without it; without names, rows come with their keys alone.
   *
   * <p>Iterating throws {@link IllegalArgumentException} when a name is a column of the table's
   * key.
   *
   * @throws IllegalArgumentException for too many columns, one that comes twice, or a name that no
   *     column can have
   */
  public RowRange withColumns(String... names) {
    return new RowRange(reads, query, selection.withColumns(names));
  }

  /** The rows of the whole query that a selection answers, instead of what was selected before. */
  public RowRange select(RowSelection instead) {
    return new RowRange(reads, query, instead);
  }

  /** The rows of this range, each with {@link Row#commitMicros}. */
  public RowRange withCommitTimes() {
    return new RowRange(reads, query, selection.withCommitTimes());
  }

  /**
   * Starts at the range's beginning; methods of the iterator throw as {@link TableClient#getRow}
   * does.
   *
   * @throws IllegalArgumentException when the lowest key of the range is above its highest key, or
   *     a bound does not name the first columns of the table's key
   */
  @Override
  public RowIterator iterator() {
    return new RowIterator();
  }

  /** One reading of the range. */
  public final class RowIterator implements Iterator<Row> {

    private final ReadTerms terms =
        new ReadTerms(query.mode() == ReadMode.STRICT, selection.require(reads.schema()));
    private Bytes from = reads.bound(query.from());
    private Bytes to = reads.bound(query.to());
    private long left = query.limit();
    private boolean isLastPage = query.limit() == 0;
    private Iterator<Row> page = List.<Row>of().iterator();
    private long rowsLookedAt;
    private long bytesLookedAt;

    private RowIterator() {
      if (RangeRequest.isReversed(from, to)) {
        throw new IllegalArgumentException(
            "the range from "
                + query.from().orElseThrow()
                + " to "
                + query.to().orElseThrow()
                + " is reversed: from is the lowest key and to the highest, in both directions");
      }
    }

    /**
     * Rows that the server looked at for the rows returned so far and those already fetched,
     * whether or not the condition holds of them.
     */
    public long rowsLookedAt() {
      return rowsLookedAt;
    }

    /** Bytes of the keys and stored values of {@link #rowsLookedAt} rows. */
    public long bytesLookedAt() {
      return bytesLookedAt;
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
      int rowsMax = (int) Math.min(query.pageRows(), left);
      RowPage fetched =
          reads.page(
              id -> new RangeRequest(id, query.direction(), rowsMax, PAGE_BYTES, from, to, terms));
      List<Row> rows = reads.decode(fetched);
      rowsLookedAt += fetched.looked().rows();
      bytesLookedAt += fetched.looked().bytes();
      left -= rows.size();
      isLastPage = fetched.next().isEmpty() || left <= 0;
      if (query.direction() == Direction.FORWARD) {
        from = fetched.next().orElse(from);
      } else {
        to = fetched.next().orElse(to);
      }
      page = rows.iterator();
    }
  }
}
