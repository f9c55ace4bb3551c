package io.tunnel.it.sim.truth;

import io.tunnel.condition.Condition;
import io.tunnel.model.RowChange;
import java.util.SplittableRandom;

/** Conditions on the columns {@code v} and {@code p} that the rows of a world have. */
public final class ColumnConditions {

  /** How far the values in a condition may lie behind the newest one. */
  private static final int NEAR = 60;

  private ColumnConditions() {}

  /**
   * The change, in one of three cases under a condition on columns; of some rows it holds.
   *
   * @param lastValue the highest value that was written
   */
  public static RowChange maybe(RowChange change, long lastValue, SplittableRandom random) {
    return random.nextInt(3) > 0 ? change : change.onlyIf(any(lastValue, random));
  }

  private static Condition any(long lastValue, SplittableRandom random) {
    long near = lastValue - random.nextInt(NEAR);
    return Condition.parse(
        switch (random.nextInt(6)) {
          case 0 -> "v < " + near;
          case 1 -> "v >= " + near + " or not exists v";
          case 2 -> "exists p";
          case 3 -> "not exists p and id >= 0";
          case 4 -> "v = p";
          default -> "v != p and exists v";
        });
  }
}
