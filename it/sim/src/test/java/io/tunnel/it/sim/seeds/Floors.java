package io.tunnel.it.sim.seeds;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * Counts the worlds of each event, and compares with the least share: a fault that has become rare
 * proves nothing any more, though it still happens once in a run. Worlds are samples, so an event
 * is too rare only if chance alone explains its count with less than {@link #CHANCE_MIN}.
 */
public final class Floors<E extends Enum<E>> {

  /**
   * Least probability that a count is chance. A share of one and a half times its floor, as floors
   * are chosen, is called too rare by 300 worlds in one run of a million.
   */
  private static final double CHANCE_MIN = 0.001;

  private final Class<E> type;
  private final ToDoubleFunction<E> percentMin;
  private final Map<E, Long> times;
  private final Map<E, Long> worldsWith;
  private long worlds;

  /** Nothing has happened yet; {@code percentMin} says in which part of the worlds each must. */
  public Floors(Class<E> type, ToDoubleFunction<E> percentMin) {
    this.type = type;
    this.percentMin = percentMin;
    this.times = new EnumMap<>(type);
    this.worldsWith = new EnumMap<>(type);
  }

  /** Adds the events of a world that has ended. */
  public synchronized void add(Map<E, Long> happened) {
    worlds++;
    happened.forEach(
        (what, count) -> {
          times.merge(what, count, Long::sum);
          worldsWith.merge(what, 1L, Long::sum);
        });
  }

  private double percent(E what) {
    return 100.0 * worldsWith.getOrDefault(what, 0L) / Math.max(1, worlds);
  }

  /** Whether an event whose share is its floor happens in so few worlds almost never. */
  private boolean isTooRare(E what) {
    long with = worldsWith.getOrDefault(what, 0L);
    double share = percentMin.applyAsDouble(what) / 100;
    return with < worlds * share && atMost(with, worlds, share) < CHANCE_MIN;
  }

  /** Probability that at most {@code count} of {@code n} worlds have an event of this share. */
  private static double atMost(long count, long n, double share) {
    double logOfTerm = n * Math.log1p(-share);
    double sum = Math.exp(logOfTerm);
    for (long k = 1; k <= count; k++) {
      logOfTerm += Math.log((n - k + 1) * share / (k * (1 - share)));
      sum += Math.exp(logOfTerm);
    }
    return sum;
  }

  /** Events in too few worlds, with both counts; empty when there are none. */
  public synchronized Set<String> tooRare() {
    Set<String> rare = new TreeSet<>();
    for (E what : EnumSet.allOf(type)) {
      if (isTooRare(what)) {
        rare.add(
            String.format(
                Locale.ROOT,
                "%s in %.2f%% of %d worlds instead of %.2f%%",
                what,
                percent(what),
                worlds,
                percentMin.applyAsDouble(what)));
      }
    }
    return rare;
  }

  /** How often each happened, and in which part of the worlds. */
  @Override
  public synchronized String toString() {
    StringBuilder text = new StringBuilder();
    for (E what : EnumSet.allOf(type)) {
      text.append(text.isEmpty() ? "" : ", ");
      text.append(
          String.format(
              Locale.ROOT, "%s %d (%.1f%%)", what, times.getOrDefault(what, 0L), percent(what)));
    }
    return text.toString();
  }
}
