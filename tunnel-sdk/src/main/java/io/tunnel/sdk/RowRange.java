package io.tunnel.sdk;

import io.tunnel.codec.RowCursor;
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

/**
 * The rows of a range. Iterating fetches page by page, each page at its own moment; every {@link
 * #iterator()} reads anew. An iteration may or may not see a concurrent write.
 */
public final class RowRange implements Iterable<Row> {

  private static final int PAGE_BYTES = 1 << 20;

  private final TableReads reads;
  private final RangeQuery query;

  RowRange(TableReads reads, RangeQuery query) {
    this.reads = reads;
    this.query = query;
  }

  /**
   * Starts at the range's beginning; methods of the iterator throw as {@link TableClient#getRow}
   * does.
   */
  @Override
  public Iterator<Row> iterator() {
    return new Pages();
  }

  private final class Pages implements Iterator<Row> {

    private Bytes from = reads.bound(query.from());
    private Bytes to = reads.bound(query.to());
    private long left = query.limit();
    private boolean isLastPage = query.limit() == 0;
    private Iterator<Row> page = List.<Row>of().iterator();

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
      for (RowCursor row = fetched.rows().rows(); row.next(); ) {
        rows.add(reads.decode(row, schema));
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
  }
}
