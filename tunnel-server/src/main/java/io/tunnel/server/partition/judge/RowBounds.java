package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Upper bounds for the sizes of the rows of each partition. With a bound, a shard accepts most
 * updates without reading the row to check the size limit. A row has one value for each column, and
 * some change brought this value. So the largest values of all columns together bound the row.
 *
 * <p>Bounds are raised when a write is evaluated, and stored by the very write to the table whose
 * rows they were raised for, so no crash leaves a row above its bound. They never fall while their
 * partition exists. For the shard's thread.
 *
 * <p>The largest number of the AUTO column of a partition's keys is kept with its bound, because a
 * number is raised, stored and dropped in the same way.
 */
public final class RowBounds implements KeyNumbers {

  private final Map<Integer, RowBound> byPartition = new HashMap<>();
  private final TreeSet<Integer> raised = new TreeSet<>();
  private final Supplier<RowBound> first;

  private RowBounds(Supplier<RowBound> first) {
    this.first = first;
  }

  /**
   * Bounds that resume from stored ones.
   *
   * @param stored what {@link #takeRaised} gave before; a partition that is not named has no rows
   */
  public RowBounds(Map<Integer, Bytes> stored) {
    this(RowBound::none);
    stored.forEach((partition, bound) -> byPartition.put(partition, RowBound.decode(bound)));
  }

  /** Bounds of rows of which nothing is known: every update is evaluated by its row. */
  public static RowBounds unknown() {
    return new RowBounds(RowBound::unknown);
  }

  /**
   * Raises what a batch needs, and says whether it must be evaluated against the rows that are
   * stored.
   *
   * @param isConditional whether any of its rows has a condition or is an update
   * @return whether any of them has a condition or an increment, or is an update that may make its
   *     row too large
   */
  public boolean mustJudge(ChangeBatch batch, boolean isConditional, ColumnSizes sizes) {
    saw(batch, sizes);
    return isConditional && (!of(batch.partition()).isLegal() || hasRowToJudge(batch));
  }

  /** The rows of a batch may be written. */
  public void saw(ChangeBatch batch, ColumnSizes sizes) {
    RowBound bound = of(batch.partition());
    boolean isRaised = false;
    for (int name = 0; name < batch.nameCount(); name++) {
      // No row has a column that is only removed, or that no row names.
      if (sizes.bytesMax(name) > 0) {
        isRaised |= bound.saw(batch.name(name), sizes.bytesMax(name));
      }
    }
    if (isRaised) {
      raised.add(batch.partition());
    }
  }

  @Override
  public long largest(int partition) {
    return of(partition).number();
  }

  @Override
  public void raise(int partition, long number) {
    if (of(partition).sawNumber(number)) {
      raised.add(partition);
    }
  }

  RowBound of(int partition) {
    return byPartition.computeIfAbsent(partition, id -> first.get());
  }

  private static boolean hasRowToJudge(ChangeBatch batch) {
    RowCursor row = batch.rows();
    while (row.next()) {
      if (row.mustBeJudged()) {
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

  /** The table has this bound of a partition, of which nothing is known. */
  public void restore(int partition, Bytes stored) {
    byPartition.put(partition, RowBound.decode(stored));
  }

  /** The rows of a partition are gone. */
  public void drop(int partition) {
    byPartition.remove(partition);
    raised.remove(partition);
  }
}
