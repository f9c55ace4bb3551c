package io.tunnel.server.cluster;

import java.io.Closeable;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * This node's membership in the group of all nodes. Every member introduces itself, the group asks
 * one member to decide, and tells every member the placement that it decided.
 */
public interface Membership extends Closeable {

  /** The node that is a member. The membership's own thread calls all methods. */
  interface Node {

    /** Introduces this node to the group: the facts about it as they are now. */
    NodeInfo introduce();

    /** Decides for all nodes; the group asks one member. {@code nodes} are sorted by name. */
    Placement place(long generation, Collection<NodeInfo> nodes);

    /** Hears a placement; must return at once. */
    void placed(Placement placement);

    /**
     * The group has forgotten this node, and other nodes may lead its units; the membership joins
     * again by itself.
     */
    void lost();

    /**
     * This node is out of the group for good, and has to be stopped: another node has joined under
     * its name, or the group does not take it as it is configured.
     *
     * @param message why, and what to do
     */
    void refused(String message);
  }

  /** Makes a membership for a node. */
  interface Factory {
    /** Begins to join the group, and returns at once. */
    Membership join(String name, Supplier<Node> node);
  }

  /**
   * Asks for another placement, because a fact that the last one rests on has changed. Any thread.
   */
  void decideAgain();

  /**
   * Removes a node from the group at once, because its process has ended: the group does not wait
   * for the end of the node's session. A node that lives after all joins again. Any thread; returns
   * at once.
   */
  void evict(String name);
}
