package io.tunnel.it.sim.truth;

import io.tunnel.condition.Condition;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Changes that count in the columns {@code c} and {@code d}: with increments, and with values that
 * no increment may be added to. The chances are apart from those of the world, so the other choices
 * of a world do not depend on increments.
 */
public final class Counters {

  private final SplittableRandom random;

  /** Chances that follow from the seed of a world. */
  public Counters(long seed) {
    random = new SplittableRandom(~seed * 31);
  }

  /** Whether a batch counts at all. */
  public boolean any() {
    return random.nextInt(3) == 0;
  }

  /** The change, which also adds to a counter, or sets one, as a rule. */
  public RowChange maybe(RowChange change) {
    RowChange counting = change;
    if (change instanceof RowUpdateChange update && random.nextInt(4) > 0) {
      List<ColumnUpdate> updates = new ArrayList<>(update.updates());
      updates.add(random.nextInt(updates.size() + 1), new ColumnUpdate.Increment("c", delta()));
      if (random.nextInt(3) == 0) {
        updates.add(new ColumnUpdate.Increment("d", delta()));
      }
      counting = new RowUpdateChange(update.primaryKey(), updates, update.condition());
    } else if (change instanceof RowPutChange put && random.nextInt(3) == 0) {
      List<Column> columns = new ArrayList<>(put.columns());
      columns.add(new Column("c", start()));
      counting = new RowPutChange(put.primaryKey(), columns, put.condition());
    }
    if (change.columnCondition().isPresent()) {
      return counting.onlyIf(change.columnCondition().get());
    }
    return counting != change && random.nextInt(4) == 0
        ? counting.onlyIf(Condition.parse("c < " + random.nextInt(12)))
        : counting;
  }

  private long delta() {
    if (random.nextInt(8) > 0) {
      return 1L + random.nextInt(5);
    }
    long large = Long.MAX_VALUE - random.nextInt(8);
    return random.nextBoolean() ? large : -large;
  }

  private ColumnValue start() {
    return switch (random.nextInt(4)) {
      case 0 -> ColumnValue.fromString("none");
      case 1 -> ColumnValue.fromLong(Long.MAX_VALUE - random.nextInt(8));
      default -> ColumnValue.fromLong(random.nextInt(10));
    };
  }
}
