package io.tunnel.server.table;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.RowPutChange;
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
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongBiFunction;

/**
 * The rows of a simulated machine for its readers, where a real one has RocksDB.
 *
 * @param partitions which there are
 * @param rowsOf a copy of the rows of a partition as they are now, by encoded key
 * @param commitMicros when a row of a partition was changed last
 */
public record SimTableRows(
    Supplier<Collection<Integer>> partitions,
    IntFunction<NavigableMap<Bytes, List<Column>>> rowsOf,
    ToLongBiFunction<Integer, Bytes> commitMicros)
    implements TableRows {

  /** A row that is judged in a batch of its own. */
  private record Found(Bytes key, List<Column> all, long commitMicros) implements FoundRow {

    @Override
    public int bytes() {
      return alone().rowsBytes();
    }

    private ChangeBatch alone() {
      byte[] array = key.toByteArray();
      BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 64);
      boolean unused =
          builder.add(
              new RowPutChange(KeyCodec.decode(array, 0, array.length, RowFold.SCHEMA), all));
      byte[] bytes = builder.build(1);
      return ChangeBatch.parse(bytes, 0, bytes.length);
    }

    @Override
    public boolean isHeldBy(RowJudge judge) {
      RowCursor row = alone().rows();
      return row.next() && judge.holdsOf(row);
    }

    @Override
    public List<Column> columns(Predicate<String> names) {
      return all.stream().filter(column -> names.test(column.getName())).toList();
    }
  }

  private Found found(int partition, Bytes key, List<Column> columns) {
    return new Found(key, columns, commitMicros.applyAsLong(partition, key));
  }

  @Override
  public Optional<FoundRow> find(int partition, Bytes key) {
    return Optional.ofNullable(rowsOf.apply(partition).get(key))
        .map(columns -> found(partition, key, columns));
  }

  @Override
  public boolean look(
      int partition, Bytes from, Bytes to, boolean forward, FoundRow.Visitor visitor) {
    NavigableMap<Bytes, List<Column>> range = rowsOf.apply(partition).tailMap(from, true);
    if (to.length() > 0) {
      range = range.headMap(to, false);
    }
    return (forward ? range : range.descendingMap())
        .entrySet().stream()
            .allMatch(row -> visitor.row(found(partition, row.getKey(), row.getValue())));
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
    public Scan scanFrom(int partition, Bytes from, long expiredMicros, RowVisitor visitor) {
      if (expiredMicros >= 0) {
        throw new IllegalStateException("a moment of a simulation has all rows of its moment");
      }
      if (isClosed) {
        return Scan.CLOSED;
      }
      NavigableMap<Bytes, List<Column>> here = rows.getOrDefault(partition, new TreeMap<>());
      boolean isWhole = visit(here.tailMap(from, true), visitor);
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
