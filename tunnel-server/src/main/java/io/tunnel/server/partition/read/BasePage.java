package io.tunnel.server.partition.read;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.server.table.BaseRows;
import io.tunnel.server.table.TableSnapshot;
import java.util.List;

/** Rows of a partition as one batch of PUTs: one row of any size, and more while they fit. */
final class BasePage {

  private final List<PrimaryKeySchema> schema;
  private final long firstPosition;
  private final int bytesMax;
  private final BatchBuilder rows;
  private Bytes lastKey = Bytes.EMPTY;

  /** Makes a page of {@code bytesMax} bytes, or of one larger row; a page of 0 takes no row. */
  BasePage(List<PrimaryKeySchema> schema, long firstPosition, int bytesMax) {
    this.schema = schema;
    this.firstPosition = firstPosition;
    this.bytesMax = bytesMax;
    this.rows = new BatchBuilder(schema, 4096);
  }

  int rowCount() {
    return rows.rowCount();
  }

  /** Adds a row; false when the page has no space for the row. */
  boolean add(Bytes key, List<Column> columns) {
    if (bytesMax == 0 || !fits(key, columns)) {
      return false;
    }
    lastKey = key;
    return true;
  }

  private boolean fits(Bytes key, List<Column> columns) {
    byte[] array = key.toByteArray();
    RowPutChange row = new RowPutChange(KeyCodec.decode(array, 0, array.length, schema), columns);
    return rows.addWithin(bytesMax, row);
  }

  /** Passes the page to {@code sink} after {@code scan} has offered its rows to the page. */
  void tell(TableSnapshot.Scan scan, int partition, long commitMicros, BaseRows.Sink sink) {
    if (bytesMax == 0 && scan == TableSnapshot.Scan.STOPPED) {
      sink.more();
    } else if (rowCount() == 0) {
      sink.end();
    } else {
      tell(partition, commitMicros, scan == TableSnapshot.Scan.WHOLE, sink);
    }
  }

  /** Passes the rows of the page to {@code sink}; the page must have a row. */
  void tell(int partition, long commitMicros, boolean isEnd, BaseRows.Sink sink) {
    sink.rows(
        rows.build(partition, firstPosition, commitMicros),
        firstPosition + rows.rowCount() - 1,
        lastKey,
        isEnd);
  }
}
