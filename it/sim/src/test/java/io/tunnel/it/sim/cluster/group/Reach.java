package io.tunnel.it.sim.cluster.group;

import io.tunnel.it.sim.machine.Agenda;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** Which nodes reach the log just now, and how long anything there takes. */
public final class Reach {

  public static final long REQUEST_NANOS = 1_500_000_000L;
  private static final int USUAL_NANOS_MAX = 3_000_000;
  private static final int SLOW_NANOS_MAX = 300_000_000;
  private static final int SLOW_ONE_IN = 30;

  public final Agenda agenda;
  public final SplittableRandom random;
  private final TreeSet<String> cut = new TreeSet<>();

  /** Nodes whose requests arrive, and that get no answer. */
  private final TreeSet<String> deaf = new TreeSet<>();

  private boolean isDown;

  /** How likely it is that an answer is lost, in percent. */
  public int lossPercent;

  /** While answers are lost, the log of blocks damages one block in so many. */
  public int damagedOneIn = 20;

  public Reach(Agenda agenda, SplittableRandom random) {
    this.agenda = agenda;
    this.random = random;
  }

  /** Whether requests of a node arrive, and answers come back. */
  public boolean isReached(String node) {
    return isSent(node) && !deaf.contains(node);
  }

  /** Whether requests of a node arrive, whatever comes back. */
  public boolean isSent(String node) {
    return !isDown && !cut.contains(node);
  }

  /** No answer comes back to a node, or all do again. */
  public void deafen(String node, boolean isDeaf) {
    if (isDeaf) {
      deaf.add(node);
    } else {
      deaf.remove(node);
    }
  }

  public void cut(String node, boolean isCut) {
    if (isCut) {
      cut.add(node);
    } else {
      cut.remove(node);
    }
  }

  public void down(boolean isDownNow) {
    isDown = isDownNow;
  }

  public void heal() {
    cut.clear();
    deaf.clear();
    isDown = false;
    lossPercent = 0;
  }

  public boolean loses() {
    return random.nextInt(100) < lossPercent;
  }

  public long nanos() {
    boolean isSlow = lossPercent > 0 && random.nextInt(SLOW_ONE_IN) == 0;
    return 50_000L + random.nextInt(isSlow ? SLOW_NANOS_MAX : USUAL_NANOS_MAX);
  }

  /** Runs {@code reached} later if the group is reached then, and {@code failed} otherwise. */
  public void ask(BooleanSupplier isReached, Runnable reached, Runnable failed) {
    agenda.after(
        nanos(),
        () -> {
          if (isReached.getAsBoolean()) {
            reached.run();
          } else {
            agenda.after(REQUEST_NANOS, failed);
          }
        });
  }
}
