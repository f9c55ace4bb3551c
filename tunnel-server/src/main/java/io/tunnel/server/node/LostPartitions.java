package io.tunnel.server.node;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Notices partitions that a node no longer serves, by looking again and again, so that the clients
 * that are attached to them are notified. A client that attached and lost its partition between two
 * looks is found because its partition is not served.
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
   * Before any partition was served.
   *
   * @param leads partitions that the node leads or is about to lead
   * @param attached partitions with attached channels
   * @param lost hears of each partition that is no longer served
   * @param againNanos pause before the clients of a lost node are notified again, in nanoseconds
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
   * Looks once. A node that its group has lost cannot know its partitions: each attached client
   * then looks for a leader, and comes back when there is no other. The group may need a while to
   * choose another leader, so the clients are notified again until the group has found the node.
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
