package io.tunnel.server.cluster;

import java.io.Closeable;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * This node's membership in the group of all nodes. One member at a time is asked to decide, by
 * what all say of themselves; every member is told the decision.
 */
public interface Membership extends Closeable {

  /** What the group asks of a node; by the membership's own thread. */
  interface Node {

    /** What to say of this node now. */
    NodeInfo info();

    /** Decides for all; asked of one member. {@code nodes} are sorted by name. */
    Placement place(long generation, Collection<NodeInfo> nodes);

    /** What was decided. It must only pass it on. */
    void placed(Placement placement);

    /**
     * This node is not known to the group any more, and others may lead what it led; it joins again
     * by itself.
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
    /** Joins the group, soon. */
    Membership join(String name, Supplier<Node> node);
  }

  /** Asks for another decision, because something that it depends on has changed. Any thread. */
  void decideAgain();

  /**
   * A node is gone for certain: the group does not wait until it has been silent for long enough.
   * Should it live after all, it joins again. Any thread; returns at once.
   */
  void evict(String name);
}
