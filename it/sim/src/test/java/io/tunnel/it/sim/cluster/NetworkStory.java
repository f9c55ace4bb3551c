package io.tunnel.it.sim.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The network between nodes, and between nodes and brokers, as it fails in half of the worlds: one
 * direction alone is cut, and answers come late and in another order than the questions.
 */
final class NetworkStory {

  private static final long CHANCE = 0x0d1ec7L;
  private static final int ACT_ONE_IN = 16;
  private static final int DEAF_MS_MAX = 9_000;
  private static final int CUT_MS_MAX = 9_000;
  private static final int SLOW_MS_MAX = 9_000;
  private static final int LATE_NANOS_MAX = 2_500_000;
  private static final int LATE_TIMES_MAX = 1_000;

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final boolean isHard;

  /** Present cuts, as sender and receiver. */
  private final List<List<String>> cuts = new ArrayList<>();

  private int slow;

  /** Chance is an own source. */
  NetworkStory(ClusterWorld world, long seed) {
    this.world = world;
    this.random = new SplittableRandom(seed ^ CHANCE);
    this.isHard = random.nextBoolean();
  }

  /** Something happens to the network, or nothing. */
  void act() {
    if (!isHard || random.nextInt(ACT_ONE_IN) > 0) {
      return;
    }
    List<String> names = List.copyOf(new TreeSet<>(world.machines.keySet()));
    String one = names.get(random.nextInt(names.size()));
    switch (random.nextInt(3)) {
      case 0 -> deafen(one, random.nextInt(DEAF_MS_MAX));
      case 1 -> cut(one, names.get(random.nextInt(names.size())), random.nextInt(CUT_MS_MAX));
      default -> slow(random.nextInt(SLOW_MS_MAX));
    }
  }

  private void deafen(String node, long millis) {
    world.trace.add(node + " hears nothing of the log for " + millis + " ms");
    world.count(ClusterHappening.NODE_DEAF);
    long nanos = lasts(millis);
    world.reach.deafen(node, true);
    world.agenda.after(nanos, () -> world.reach.deafen(node, false));
  }

  private void cut(String from, String to, long millis) {
    if (from.equals(to)) {
      return;
    }
    world.trace.add(from + " does not reach " + to + " for " + millis + " ms");
    world.count(ClusterHappening.NODES_CUT_ONE_WAY);
    List<String> cut = List.of(from, to);
    cuts.add(cut);
    world.agenda.after(lasts(millis), () -> cuts.remove(cut));
  }

  private void slow(long millis) {
    world.trace.add("nodes hear each other late for " + millis + " ms");
    world.count(ClusterHappening.NODES_SLOW);
    slow++;
    world.agenda.after(lasts(millis), () -> slow = Math.max(0, slow - 1));
  }

  private long lasts(long millis) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    world.truth.disturbedFor(nanos);
    return nanos;
  }

  /** Whether messages of one node to another are lost. */
  boolean isCut(String from, String to) {
    return cuts.contains(List.of(from, to));
  }

  /** What a message from node to node takes longer than usual. */
  long nanos() {
    return slow > 0 ? (long) random.nextInt(LATE_NANOS_MAX) * random.nextInt(LATE_TIMES_MAX) : 0;
  }

  /** Nothing is wrong any more. */
  void heal() {
    cuts.clear();
    slow = 0;
  }
}
