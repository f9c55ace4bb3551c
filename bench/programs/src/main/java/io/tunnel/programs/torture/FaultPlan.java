package io.tunnel.programs.torture;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Which fault comes when: the same for the same seed and the same kinds of faults. What the server
 * is doing at that instant is not planned, and differs from run to run.
 */
final class FaultPlan {

  private static final int WRITE_MS_MIN = 300;
  private static final int WRITE_MS_MAX = 4_000;
  private static final int LASTS_MS_MIN = 200;
  private static final int LASTS_MS_MAX = 7_000;
  private static final int START_MS_MAX = 1_500;

  /** Starts that are interrupted, of a hundred. */
  private static final int INTERRUPTED_PERCENT = 30;

  private final SplittableRandom random;
  private final SplittableRandom victims;
  private final List<Fault> kinds;
  private final List<Fault> deck = new ArrayList<>();

  /**
   * One round.
   *
   * @param writeMs how long is written before the fault
   * @param lastsMs length of a fault that lasts; ignored for other faults
   * @param interruptedMs after how many milliseconds the start that follows is interrupted by a
   *     fault of the same kind; negative when it is not
   * @param victim which of several nodes or brokers, and which variant of the fault; not negative
   */
  record Round(Fault fault, int writeMs, int lastsMs, int interruptedMs, int victim) {}

  FaultPlan(long seed, Set<Fault> kinds) {
    this.random = new SplittableRandom(seed);
    this.victims = new SplittableRandom(~seed);
    this.kinds = List.copyOf(EnumSet.copyOf(kinds));
  }

  /** The next round; each kind comes once before one comes again. */
  Round next() {
    if (deck.isEmpty()) {
      deck.addAll(kinds);
    }
    Fault fault = deck.remove(random.nextInt(deck.size()));
    int writeMs = random.nextInt(WRITE_MS_MIN, WRITE_MS_MAX);
    int lastsMs = random.nextInt(LASTS_MS_MIN, LASTS_MS_MAX);
    boolean isInterrupted = random.nextInt(100) < INTERRUPTED_PERCENT;
    int interruptedMs = random.nextInt(START_MS_MAX);
    boolean startsAnew =
        switch (fault) {
          case KILL, POWER, FULL_DISK, FAILING_DISK, EMPTY -> true;
          case SUSPEND, ONE_WAY, DRAIN -> false;
          case BROKER_KILL, BROKER_SUSPEND, BROKER_POWER, UNCLEAN -> false;
        };
    int victim = victims.nextInt(Integer.MAX_VALUE);
    return new Round(
        fault, writeMs, lastsMs, isInterrupted && startsAnew ? interruptedMs : -1, victim);
  }
}
