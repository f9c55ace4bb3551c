package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Upper bounds for the sizes of the rows of each partition. With a bound, a shard accepts most
 * updates without reading the row to check the size limit. A row has one value for each column, and
 * some change brought this value. So the largest values of all columns together bound the row.
 *
 * <p>Bounds are raised when a write is judged, and stored by the very write to the table whose rows
 * they were raised for, so no crash leaves a row above its bound. They never fall while their
 * partition exists. For the shard's thread.
 */
public final class RowBounds {

  /** Stands for the store itself: where it is stored, all rows came since bounds are kept. */
  private static final int STORE = 0;

  private final Map<Integer, RowBound> byPartition = new HashMap<>();
  private final TreeSet<Integer> raised = new TreeSet<>();
  private final boolean areKept;

  /**
   * Bounds that go on from stored ones.
   *
   * @param stored what {@link #takeRaised} gave before
   * @param isNew whether there is no row yet
   */
  public RowBounds(Map<Integer, Bytes> stored, boolean isNew) {
    areKept = isNew || stored.containsKey(STORE);
    if (isNew) {
      raised.add(STORE);
    }
    stored.forEach(
        (partition, bound) -> {
          if (partition != STORE) {
            byPartition.put(partition, RowBound.decode(bound));
          }
        });
  }

  /** Bounds of rows of which nothing is known: every update is judged by its row. */
  public static RowBounds unknown() {
    return new RowBounds(Map.of(), false);
  }

  /**
   * Raises what a batch needs, and says whether it must be judged by the rows that are stored.
   *
   * @param isConditional whether any of its rows has a condition or is an update
   * @return whether any of them has a condition, or is an update that may make its row too large
   */
  public boolean mustJudge(ChangeBatch batch, boolean isConditional, ColumnSizes sizes) {
    saw(batch, sizes);
    return isConditional && (!of(batch.partition()).isLegal() || hasCondition(batch));
  }

  /** The rows of a batch may be written. */
  public void saw(ChangeBatch batch, ColumnSizes sizes) {
    RowBound bound = of(batch.partition());
    boolean isRaised = false;
    for (int name = 0; name < batch.nameCount(); name++) {
      // No row has a column that is only removed, or that no row names, as in logs of old.
      if (sizes.bytesMax(name) > 0) {
        isRaised |= bound.saw(batch.name(name), sizes.bytesMax(name));
      }
    }
    if (isRaised) {
      raised.add(batch.partition());
    }
  }

  RowBound of(int partition) {
    return byPartition.computeIfAbsent(
        partition, id -> areKept ? RowBound.none() : RowBound.unknown());
  }

  private static boolean hasCondition(ChangeBatch batch) {
    RowCursor row = batch.rows();
    while (row.next()) {
      if (row.condition() != RowExistenceExpectation.IGNORE) {
        return true;
      }
    }
    return false;
  }

  /** Those that are to be stored, as they are stored, with the next write to the table. */
  public Map<Integer, Bytes> takeRaised() {
    Map<Integer, Bytes> taken = new HashMap<>();
    for (int partition : raised) {
      taken.put(partition, of(partition).encode());
    }
    raised.clear();
    return taken;
  }

  /** The rows of a partition are gone. */
  public void drop(int partition) {
    byPartition.remove(partition);
    raised.remove(partition);
  }
}
