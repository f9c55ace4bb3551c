package io.tunnel.it.sim.cluster.group;

import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One start of a node as a member of the group: its thread says, decides and is told. */
public final class SimMembership implements Membership {

  private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final String name;
  private final SimGroup group;
  private final Reach reach;
  private final SimThread thread;
  private final Node node;
  private String incarnation = "";
  private boolean isMember;
  private boolean isDeciding = true;
  private boolean isAsked;
  private boolean isClosed;

  /** The group may know a member that has heard nothing for too long: it joins again. */
  private boolean isToJoin;

  private long answeredNanos;
  private long toldGeneration = -1;

  public SimMembership(String name, SimGroup group, Reach reach, SimThread thread, Node node) {
    this.name = name;
    this.group = group;
    this.reach = reach;
    this.thread = thread;
    this.node = node;
    thread.execute(this::join);
    thread.after(HEARTBEAT_NANOS, this::beat);
  }

  public String name() {
    return name;
  }

  private boolean isReached() {
    return reach.isReached(name) && isThere();
  }

  private boolean isThere() {
    return thread.process().isAlive() && !isClosed;
  }

  /** Something goes to the group, if it is reached when it arrives. */
  private void send(Runnable word) {
    reach.agenda.after(
        reach.nanos(),
        () -> {
          if (reach.isSent(name) && isThere()) {
            word.run();
          }
        });
  }

  private void join() {
    answeredNanos = reach.agenda.nowNanos();
    incarnation = node.introduce().incarnation();
    send(() -> group.join(this));
  }

  private void beat() {
    if (isClosed) {
      return;
    }
    send(
        () -> {
          boolean isKnown = group.heard(this, toldGeneration);
          boolean isOver = group.isStable() && group.last().generation() == toldGeneration;
          if (isReached()) {
            thread.execute(() -> answered(isKnown, isOver));
          }
        });
    long silentNanos = reach.agenda.nowNanos() - answeredNanos;
    if (isMember && silentNanos > SimGroup.SESSION_NANOS + HEARTBEAT_NANOS) {
      isMember = false;
      isDeciding = false;
      isAsked = true;
      isToJoin = true;
      node.lost();
    }
    if (!isDeciding && isAsked) {
      isAsked = false;
      isDeciding = true;
      send(group::rebalance);
    }
    thread.after(HEARTBEAT_NANOS, this::beat);
  }

  private void answered(boolean isKnown, boolean isOver) {
    answeredNanos = reach.agenda.nowNanos();
    isDeciding &= !isOver;
    if (!isKnown || isToJoin) {
      isToJoin = false;
      if (isMember) {
        isMember = false;
        node.lost();
      }
      isDeciding = true;
      send(() -> group.join(this));
    }
  }

  /** A question of the group, which a deaf node does not hear. */
  private void hear(Runnable question) {
    if (reach.isReached(name) || !reach.isSent(name)) {
      thread.execute(question);
    }
  }

  /** The group asks what this node says of itself. */
  public void say(long round) {
    hear(
        () -> {
          isDeciding = true;
          NodeInfo info = node.introduce();
          send(() -> group.said(this, round, info));
        });
  }

  /** The group asks for a decision. */
  public void decide(long round, long generation, List<NodeInfo> nodes) {
    hear(
        () -> {
          Placement placement = node.place(generation, nodes);
          send(() -> group.decided(round, placement));
        });
  }

  /** The group tells what was decided. */
  public void tell(Placement placement) {
    reach.agenda.after(
        reach.nanos(),
        () -> {
          if (isReached()) {
            thread.execute(() -> told(placement));
          }
        });
  }

  private void told(Placement placement) {
    isMember = true;
    isDeciding = false;
    answeredNanos = reach.agenda.nowNanos();
    boolean isOfThis =
        placement
            .node(name)
            .map(Placement.Member::incarnation)
            .filter(incarnation::equals)
            .isPresent();
    if (isOfThis) {
      toldGeneration = placement.generation();
      node.placed(placement);
    } else {
      isAsked = true;
    }
  }

  @Override
  public void decideAgain() {
    isAsked = true;
  }

  @Override
  public void evict(String gone) {
    send(() -> group.evict(gone));
  }

  @Override
  public void close() {
    send(() -> group.leave(this));
  }
}
