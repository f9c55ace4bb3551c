package io.tunnel.programs.bench.beside;

import java.util.OptionalDouble;

/**
 * Says when a warm-up is over: when the rates of two rounds, one after the other, differ by a tenth
 * at most, or after {@value #ROUNDS_MAX} rounds.
 */
final class WarmUpCore {

  /** A peer whose rates are never steady does not hold up the others. */
  static final int ROUNDS_MAX = 3;

  private static final double TOLERANCE = 0.1;

  private int rounds;
  private OptionalDouble last = OptionalDouble.empty();
  private boolean isSteady;

  /** A round ended at that rate. */
  void ended(double rate) {
    rounds++;
    isSteady =
        last.isPresent()
            && Math.abs(rate - last.getAsDouble())
                <= TOLERANCE * Math.max(rate, last.getAsDouble());
    last = OptionalDouble.of(rate);
  }

  /** Whether what comes next counts. */
  boolean isOver() {
    return isSteady || rounds >= ROUNDS_MAX;
  }
}
