package io.tunnel.stress.rows;

import java.util.SplittableRandom;

/**
 * Few keys get most rows: the key of rank {@code k} (from 1) has a probability in proportion to
 * {@code 1 / k^exponent}; its id is {@code k - 1}. Neighbouring ids lie in different partitions
 * anyway, because the first key column is a hash.
 *
 * <p>Drawn by rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate
 * variates from monotone discrete distributions", 1996): the area under the curve {@code h(x) =
 * x^-exponent} is inverted, the result rounded to a rank, and the few draws that fall into the part
 * of the area over that rank's bar are drawn again. Exact, without tables, in about the same time
 * for any number of keys.
 */
public final class ZipfKeys implements KeyChooser {

  private final long keyCount;
  private final double exponent;

  /** The area up to half a step behind the last rank, and up to the first rank's bar. */
  private final double areaEnd;

  private final double areaStart;

  /** A draw this close below its rank needs no look at the area. */
  private final double surelyAccepted;

  /**
   * Keys with a skew.
   *
   * @param keyCount at least 1
   * @param exponent over 0; 0.99 is usual, more is more skewed
   */
  public ZipfKeys(long keyCount, double exponent) {
    if (keyCount < 1) {
      throw new IllegalArgumentException("there is at least 1 key, not " + keyCount);
    }
    if (!(exponent > 0 && exponent <= 10)) {
      throw new IllegalArgumentException("the exponent is over 0 and up to 10, not " + exponent);
    }
    this.keyCount = keyCount;
    this.exponent = exponent;
    this.areaEnd = area(keyCount + 0.5);
    this.areaStart = area(1.5) - 1;
    this.surelyAccepted = 2 - inverseArea(area(2.5) - height(2));
  }

  @Override
  public long next(SplittableRandom random) {
    while (true) {
      double area = areaEnd + random.nextDouble() * (areaStart - areaEnd);
      double x = inverseArea(area);
      long rank = Math.max(1, Math.min(keyCount, (long) (x + 0.5)));
      if (rank - x <= surelyAccepted || area >= area(rank + 0.5) - height((double) rank)) {
        return rank - 1;
      }
    }
  }

  private double height(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  /** The integral of the height from 1 to {@code x}: (x^(1-e) - 1) / (1-e), or ln x for e = 1. */
  private double area(double x) {
    double log = Math.log(x);
    return expm1Over((1 - exponent) * log) * log;
  }

  private double inverseArea(double area) {
    // Rounding may put the argument under -1, where no logarithm is.
    double t = Math.max(-1, area * (1 - exponent));
    return Math.exp(log1pOver(t) * area);
  }

  /** (e^x - 1) / x, also at and near 0. */
  private static double expm1Over(double x) {
    return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2;
  }

  /** ln(1 + x) / x, also at and near 0. */
  private static double log1pOver(double x) {
    return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2;
  }
}
