package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Rows without those that have expired at a time, although they are still stored. Rows of tables
 * without a time to live are passed on as they are.
 *
 * @param expiry of the rows of a partition
 */
public record AliveRows(TableRows rows, Expiries expiry, PassedTime moment) implements TableRows {

  @Override
  public Optional<FoundRow> find(int partition, Bytes key) {
    Expiry of = expiry.apply(partition);
    return rows.find(partition, key)
        .filter(row -> !of.isOn() || !of.isOver(row.commitMicros(), moment.micros(of.ttlMicros())));
  }

  /** Shows expired rows as such, so that a page knows how far it looked. */
  @Override
  public boolean look(
      int partition, Bytes from, Bytes to, boolean forward, FoundRow.Visitor visitor) {
    Expiry of = expiry.apply(partition);
    long passedMicros = moment.micros(of.ttlMicros());
    return rows.look(
        partition,
        from,
        to,
        forward,
        of.isOn()
            ? row ->
                visitor.row(of.isOver(row.commitMicros(), passedMicros) ? new Expired(row) : row)
            : visitor);
  }

  /** A row that no reader may see. */
  private record Expired(FoundRow row) implements FoundRow {
    @Override
    public boolean isAlive() {
      return false;
    }

    @Override
    public Bytes key() {
      return row.key();
    }

    @Override
    public int bytes() {
      return row.bytes();
    }

    @Override
    public boolean isHeldBy(RowJudge judge) {
      return false;
    }

    @Override
    public List<Column> columns(Predicate<String> names) {
      throw new IllegalStateException("a row that has expired is read");
    }

    @Override
    public long commitMicros() {
      return row.commitMicros();
    }
  }

  /** A snapshot that also keeps how long rows live. */
  @Override
  public TableSnapshot snapshot() {
    IntFunction<Expiry> now = expiry.now();
    TableSnapshot all = rows.snapshot();
    return new TableSnapshot() {
      @Override
      public Scan scanFrom(
          int partition, Bytes from, long expiredMicros, TableStore.RowVisitor visitor) {
        Expiry of = now.apply(partition);
        long over = of.overUntilMicros(moment.micros(of.ttlMicros()));
        return all.scanFrom(partition, from, Math.max(over, expiredMicros), visitor);
      }

      @Override
      public void close() {
        all.close();
      }
    };
  }

  /** Counts rows that have expired and are still stored, too. */
  @Override
  public TableStore.RowCount count(int partition, long countedMax) {
    return rows.count(partition, countedMax);
  }
}
