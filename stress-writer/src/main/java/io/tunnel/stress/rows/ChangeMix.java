package io.tunnel.stress.rows;

import io.tunnel.model.ChangeKind;
import java.util.SplittableRandom;

/** How many of 100 rows are puts, updates and deletes. */
public record ChangeMix(int puts, int updates, int deletes) {

  /** Puts only. */
  public static final ChangeMix PUTS = new ChangeMix(100, 0, 0);

  /** Refuses shares that do not add up to 100. */
  public ChangeMix {
    if (puts < 0 || updates < 0 || deletes < 0 || puts + updates + deletes != 100) {
      throw new IllegalArgumentException(
          "the shares of puts ("
              + puts
              + "), updates ("
              + updates
              + ") and deletes ("
              + deletes
              + ") must be at least 0 and add up to 100");
    }
  }

  /** What the next row is. */
  ChangeKind next(SplittableRandom random) {
    if (puts == 100) {
      return ChangeKind.PUT;
    }
    int draw = random.nextInt(100);
    if (draw < puts) {
      return ChangeKind.PUT;
    }
    return draw < puts + updates ? ChangeKind.UPDATE : ChangeKind.DELETE;
  }
}
