package io.tunnel.server.node;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Notices what a node serves no longer, by looking again and again, so that those who are attached
 * to it are told. Whoever came while it was served only between two looks is found by that it is
 * attached to something that is not served.
 */
final class LostPartitions {

  private final Supplier<Set<Integer>> leads;
  private final IntPredicate isServing;
  private final Supplier<Set<Integer>> attached;
  private final IntConsumer lost;
  private final long againNanos;
  private Set<Integer> served = Set.of();
  private boolean wasNodeLost;
  private long toldNanos;

  /**
   * Nothing was served yet.
   *
   * @param leads partitions that the node leads or is about to
   * @param attached partitions with channels that somebody is attached to
   * @param lost is told of each that is served no longer
   * @param againNanos how long those who are attached to a lost node stay before they look again
   */
  LostPartitions(
      Supplier<Set<Integer>> leads,
      IntPredicate isServing,
      Supplier<Set<Integer>> attached,
      IntConsumer lost,
      long againNanos) {
    this.leads = leads;
    this.isServing = isServing;
    this.attached = attached;
    this.lost = lost;
    this.againNanos = againNanos;
  }

  /**
   * Looks once. A node that its group has lost cannot know what it leads: whoever is attached then
   * looks for a leader, and comes back when there is no other. The group may need a while until it
   * has chosen another, so that is repeated until the node is found.
   */
  void look(boolean isNodeLost, long nowNanos) {
    Set<Integer> now = new TreeSet<>();
    if (!isNodeLost) {
      leads.get().stream().filter(isServing::test).forEach(now::add);
    }
    Set<Integer> gone = new TreeSet<>(served);
    gone.removeAll(now);
    boolean isAgain = isNodeLost && wasNodeLost && nowNanos - toldNanos >= againNanos;
    attached.get().stream()
        .filter(partition -> isAgain || !isServing.test(partition))
        .forEach(gone::add);
    if (isAgain || !wasNodeLost) {
      toldNanos = nowNanos;
    }
    wasNodeLost = isNodeLost;
    served = now;
    gone.forEach(lost::accept);
  }
}
