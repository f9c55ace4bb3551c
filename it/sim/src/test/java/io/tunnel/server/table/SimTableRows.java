package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.server.table.TableStore.RowCount;
import io.tunnel.server.table.TableStore.RowVisitor;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The rows of a simulated machine for its readers, where a real one has RocksDB.
 *
 * @param partitions which there are
 * @param rowsOf a copy of the rows of a partition as they are now, by encoded key
 */
public record SimTableRows(
    Supplier<Collection<Integer>> partitions, IntFunction<NavigableMap<Bytes, List<Column>>> rowsOf)
    implements TableRows {

  @Override
  public Optional<List<Column>> get(int partition, Bytes key) {
    return Optional.ofNullable(rowsOf.apply(partition).get(key));
  }

  @Override
  public boolean scan(int partition, Bytes from, Bytes to, boolean forward, RowVisitor visitor) {
    NavigableMap<Bytes, List<Column>> range = rowsOf.apply(partition).tailMap(from, true);
    if (to.length() > 0) {
      range = range.headMap(to, false);
    }
    return visit(forward ? range : range.descendingMap(), visitor);
  }

  private static boolean visit(Map<Bytes, List<Column>> rows, RowVisitor visitor) {
    return rows.entrySet().stream().allMatch(row -> visitor.row(row.getKey(), row.getValue()));
  }

  @Override
  public TableSnapshot snapshot() {
    Map<Integer, NavigableMap<Bytes, List<Column>>> now = new TreeMap<>();
    partitions.get().forEach(partition -> now.put(partition, rowsOf.apply(partition)));
    return new Moment(now);
  }

  private static final class Moment implements TableSnapshot {
    private final Map<Integer, NavigableMap<Bytes, List<Column>>> rows;
    private boolean isClosed;

    Moment(Map<Integer, NavigableMap<Bytes, List<Column>>> rows) {
      this.rows = rows;
    }

    @Override
    public Scan scanBehind(int partition, Bytes after, RowVisitor visitor) {
      if (isClosed) {
        return Scan.CLOSED;
      }
      NavigableMap<Bytes, List<Column>> here = rows.getOrDefault(partition, new TreeMap<>());
      boolean isWhole = visit(here.tailMap(after, false), visitor);
      return isWhole ? Scan.WHOLE : Scan.STOPPED;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  @Override
  public RowCount count(int partition, long countedMax) {
    int rows = rowsOf.apply(partition).size();
    return new RowCount(Math.min(rows, countedMax), rows <= countedMax, rows);
  }
}
