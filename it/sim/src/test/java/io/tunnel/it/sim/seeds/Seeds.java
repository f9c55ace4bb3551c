package io.tunnel.it.sim.seeds;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Which worlds a run makes: a part of the seeds is the same in every build, so that a change that
 * breaks something is told from bad luck; the others nobody has run before. Both are printed, and
 * each failure names its seed, so nothing is lost with the output of a build.
 */
public final class Seeds {

  /** Two builds that begin more than a second apart share no fresh seed. */
  private static final long SEEDS_PER_MS = 1_000;

  private final String property;
  private final long known;
  private final long fresh;
  private final long freshBase;

  /** Seeds of worlds that broke once, run with the known ones. */
  private final long[] found;

  private Seeds(String property, long known, long fresh, long freshBase, long... found) {
    this.found = found;
    this.property = property;
    this.known = known;
    this.fresh = fresh;
    this.freshBase = freshBase;
  }

  /**
   * What the properties below {@code property} ask for: {@code .seeds} worlds from {@code .base}
   * on; without a base all are fresh if {@code sim.fresh} says so, and otherwise the last {@code
   * fresh} of them.
   */
  public static Seeds of(String property, long known, long fresh) {
    Long base = Long.getLong(property + ".base");
    long count = Long.getLong(property + ".seeds", known + fresh);
    if (base != null) {
      return new Seeds(property, 0, count, base);
    }
    long newBase = System.currentTimeMillis() * SEEDS_PER_MS;
    long knownOfThem = Boolean.getBoolean("sim.fresh") ? 0 : count * known / (known + fresh);
    return new Seeds(property, knownOfThem, count - knownOfThem, newBase);
  }

  /** With worlds that broke once, unless a run asks for other worlds than those of every build. */
  public Seeds andFound(long... seeds) {
    return known == 0 ? this : new Seeds(property, known, fresh, freshBase, seeds);
  }

  /** The command that replays a single world. */
  public static String replay(String test, String property, long seed) {
    return "Replay: mvn -Psim -pl it/sim -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest="
        + test
        + " -D"
        + property
        + ".seed="
        + seed
        + " verify";
  }

  /** All of them, the known ones first. */
  public long[] all() {
    LongStream again = LongStream.concat(LongStream.rangeClosed(1, known), LongStream.of(found));
    return LongStream.concat(again, LongStream.range(freshBase, freshBase + fresh)).toArray();
  }

  /** How many worlds that makes. */
  public long count() {
    return known + found.length + fresh;
  }

  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    if (known > 0) {
      parts.add(known + " seeds from 1");
    }
    if (found.length > 0) {
      parts.add(found.length + " that broke once");
    }
    if (fresh > 0) {
      parts.add(
          fresh
              + " seeds from "
              + freshBase
              + " (all of them again: -D"
              + property
              + ".seeds="
              + fresh
              + " -D"
              + property
              + ".base="
              + freshBase
              + ")");
    }
    return String.join(", ", parts);
  }
}
