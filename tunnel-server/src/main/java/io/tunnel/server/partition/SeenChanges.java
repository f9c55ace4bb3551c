package io.tunnel.server.partition;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.table.BesideRows;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * What a shard remembers of changes that it did not evaluate itself: a start reads them from its
 * log, and a follower from the log of its leader. For the shard's thread.
 *
 * @param auto the AUTO column of a partition's keys, if they have one
 */
public record SeenChanges(
    RowBounds bounds,
    Writers writers,
    BoundRows bound,
    SeenPlaces places,
    IntFunction<Optional<AutoNumbers>> auto) {

  /** Of a shard without writers, sessions and AUTO columns. */
  public static SeenChanges of(RowBounds bounds) {
    return new SeenChanges(
        bounds, new Writers(Map.of()), BoundRows.none(), SeenPlaces.NONE, id -> Optional.empty());
  }

  /** Takes a batch of the log: rows, answers to writers, or the place of a record. */
  public void saw(ChangeBatch batch) {
    if (batch.rowCount() == 0) {
      writers.saw(batch);
      places.saw(batch);
      return;
    }
    bounds.saw(batch, ColumnSizes.of(batch));
    bound.saw(batch);
    auto.apply(batch.partition())
        .flatMap(column -> column.largest(batch).stream().boxed().findAny())
        .ifPresent(number -> bounds.raise(batch.partition(), number));
  }

  /** A partition is gone. */
  void drop(int partition) {
    bounds.drop(partition);
    writers.drop(partition);
    bound.drop(partition);
    places.drop(partition);
  }

  /**
   * The table has entries of a partition, of which nothing is known.
   *
   * @param state of the replica
   */
  void restore(int partition, PartitionEntries entries, Bytes state) {
    entries.bound().ifPresent(bound -> bounds.restore(partition, bound));
    writers.restore(partition, entries.writers());
    bound.restore(partition, entries.sessions());
    places.restore(partition, state);
  }

  /** What is stored with the next rows. */
  public BesideRows takeRaised() {
    return new BesideRows(
        places.takeRaised(), bounds.takeRaised(), writers.takeRaised(), bound.takeRaised());
  }
}
