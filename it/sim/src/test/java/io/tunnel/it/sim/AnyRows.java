package io.tunnel.it.sim;

import io.tunnel.it.sim.truth.ColumnConditions;
import io.tunnel.it.sim.truth.Counters;
import io.tunnel.it.sim.truth.Returns;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.SplittableRandom;

/** Draws changes of a few rows of each partition. */
public final class AnyRows {

  public static final int IDS_PER_PARTITION = 1_000;
  private static final int ROWS_PER_PARTITION = 40;

  private final SplittableRandom random;
  private final Counters counters;
  private final Returns returns;
  private final boolean hasReturns;

  /**
   * Draws from {@code random}.
   *
   * @param hasReturns whether changes may ask for columns
   */
  AnyRows(SplittableRandom random, boolean hasReturns) {
    this.random = random;
    this.hasReturns = hasReturns;
    this.counters = new Counters(random.nextLong());
    this.returns = new Returns(random.nextLong());
  }

  /** A key that is written now and then, of the partition at a place of the table. */
  public static PrimaryKey anyKey(int place, SplittableRandom random) {
    return PrimaryKey.builder().add("id", anyId(place, random)).build();
  }

  static long anyId(int place, SplittableRandom random) {
    return (long) place * IDS_PER_PARTITION + random.nextInt(ROWS_PER_PARTITION);
  }

  /** What the changes of one call have in common. */
  Style anyStyle() {
    return new Style(random.nextInt(3) == 0, counters.any());
  }

  record Style(boolean isConditional, boolean isCounting) {}

  /** Any change, under {@code number} where the change has a value. */
  RowChange change(int place, Style style, long number) {
    RowChange change = plain(place, style.isConditional(), ColumnValue.fromLong(number));
    change = style.isConditional() ? ColumnConditions.maybe(change, number, random) : change;
    change = style.isCounting() ? counters.maybe(change) : change;
    return hasReturns ? returns.maybe(change) : change;
  }

  private RowExistenceExpectation condition() {
    return random.nextBoolean()
        ? RowExistenceExpectation.EXPECT_EXIST
        : RowExistenceExpectation.EXPECT_NOT_EXIST;
  }

  private RowChange plain(int place, boolean isConditional, ColumnValue value) {
    PrimaryKey key = anyKey(place, random);
    int dice = random.nextInt(10);
    if (isConditional && dice < 3) {
      return new RowPutChange(key, List.of(new Column("v", value)), condition());
    } else if (isConditional && dice < 5) {
      return new RowDeleteChange(key, condition());
    } else if (dice < 6) {
      return new RowPutChange(key, List.of(new Column("v", value), new Column("p", value)));
    } else if (dice < 8) {
      return new RowUpdateChange(
          key, List.of(new ColumnUpdate.Put("v", value), new ColumnUpdate.Delete("p")));
    }
    return new RowDeleteChange(key);
  }
}
