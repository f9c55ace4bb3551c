package io.tunnel.server.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The group of all nodes, in memory: decides when {@link #decide} is called, and tells everybody.
 * Notes how often it was asked to.
 */
final class FakeGroup implements Membership.Factory {

  final Map<String, Membership.Node> nodes = new TreeMap<>();
  final Queue<Runnable> control = new ArrayDeque<>();
  int asked;
  private long generation;

  @Override
  public Membership join(String name, Supplier<Membership.Node> node) {
    nodes.put(name, node.get());
    return new Membership() {
      @Override
      public void decideAgain() {
        asked++;
      }

      @Override
      public void evict(String other) {
        nodes.remove(other);
      }

      @Override
      public void close() {
        nodes.remove(name);
      }
    };
  }

  /** One decision, made by {@code decider}. */
  Placement decide(String decider) {
    Collection<NodeInfo> infos =
        new ArrayList<>(nodes.values().stream().map(Membership.Node::introduce).toList());
    Placement placement = nodes.get(decider).place(++generation, infos);
    nodes.values().forEach(node -> node.placed(placement));
    runControl();
    return placement;
  }

  void runControl() {
    while (!control.isEmpty()) {
      control.remove().run();
    }
  }
}
