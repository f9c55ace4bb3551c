package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import java.util.List;
import java.util.Optional;

/** The rows of partitions as readers on any thread know them. */
public interface TableRows {

  /** The row of a key. */
  Optional<FoundRow> find(int partition, Bytes key);

  /** The columns of a row. */
  default Optional<List<Column>> get(int partition, Bytes key) {
    return find(partition, key).map(FoundRow::columns);
  }

  /**
   * Visits the rows of a partition whose encoded keys lie in {@code [from, to)} ({@link
   * Bytes#EMPTY}: open), as they are now.
   *
   * @return whether all were visited
   */
  boolean look(int partition, Bytes from, Bytes to, boolean forward, FoundRow.Visitor visitor);

  /** As {@link #look}, for a visitor who needs all columns of each row. */
  default boolean scan(
      int partition, Bytes from, Bytes to, boolean forward, TableStore.RowVisitor visitor) {
    return look(
        partition,
        from,
        to,
        forward,
        row -> !row.isAlive() || visitor.row(row.key(), row.columns()));
  }

  /**
   * The rows as they are now, until the snapshot or the store is closed. May be called by any
   * thread.
   *
   * @throws io.tunnel.model.RefusedException SHUTTING_DOWN when the store is closed
   */
  TableSnapshot snapshot();

  /** Rows of a partition, counted one by one up to {@code countedMax} and estimated beyond. */
  TableStore.RowCount count(int partition, long countedMax);
}
