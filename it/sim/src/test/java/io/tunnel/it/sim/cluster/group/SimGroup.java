package io.tunnel.it.sim.cluster.group;

import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.node.SimClusterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The group of all nodes at its coordinator. The group forgets members that are silent for too
 * long, without telling them. A member decides by the introductions of all members, and each member
 * hears the placement at a different time.
 */
public final class SimGroup {

  public static final long SESSION_NANOS = SimClusterNode.SESSION_NANOS;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Reach reach;
  private final LongSupplier nowMicros;
  private final Consumer<Placement> whenDecided;
  private final TreeMap<String, Member> members = new TreeMap<>();
  private Phase phase = Phase.STABLE;
  private Placement last = Placement.NONE;
  private long round;
  private long deadlineNanos;

  private enum Phase {
    STABLE,
    /** All members are asked what they say. */
    GATHERING,
    /** One of them decides. */
    DECIDING
  }

  private static final class Member {
    private final SimMembership at;
    private long heardNanos;
    private Optional<NodeInfo> said = Optional.empty();

    Member(SimMembership at, long heardNanos) {
      this.at = at;
      this.heardNanos = heardNanos;
    }
  }

  /** A group without members; {@code whenDecided} sees every decision. */
  public SimGroup(Reach reach, LongSupplier nowMicros, Consumer<Placement> whenDecided) {
    this.reach = reach;
    this.nowMicros = nowMicros;
    this.whenDecided = whenDecided;
    look();
  }

  private void look() {
    long now = reach.agenda.nowNanos();
    boolean isAnyGone =
        members.values().removeIf(member -> now - member.heardNanos > SESSION_NANOS);
    if (isAnyGone || (phase != Phase.STABLE && now > deadlineNanos)) {
      if (!isAnyGone && phase == Phase.GATHERING) {
        members.values().removeIf(member -> member.said.isEmpty());
      }
      rebalance();
    }
    reach.agenda.after(LOOK_NANOS, this::look);
  }

  /** A member is there; whether the group knows it. */
  public boolean heard(SimMembership who, long toldGeneration) {
    Member member = members.get(who.name());
    if (member == null || member.at != who) {
      return false;
    }
    member.heardNanos = reach.agenda.nowNanos();
    if (phase == Phase.GATHERING && member.said.isEmpty()) {
      who.say(round);
    } else if (phase == Phase.STABLE && toldGeneration < last.generation()) {
      who.tell(last);
    }
    return true;
  }

  public void join(SimMembership who) {
    Member former = members.get(who.name());
    members.put(who.name(), new Member(who, reach.agenda.nowNanos()));
    if (former != null && phase == Phase.STABLE && last.node(who.name()).isPresent()) {
      // The group takes the member for its former self, and repeats the last placement.
      who.tell(last);
    } else {
      rebalance();
    }
  }

  public void leave(SimMembership who) {
    Member member = members.get(who.name());
    if (member != null && member.at == who) {
      members.remove(who.name());
      rebalance();
    }
  }

  /** Somebody has found a node gone. */
  public void evict(String name) {
    if (members.remove(name) != null) {
      rebalance();
    }
  }

  /** All are asked. */
  public void rebalance() {
    phase = members.isEmpty() ? Phase.STABLE : Phase.GATHERING;
    round++;
    deadlineNanos = reach.agenda.nowNanos() + SESSION_NANOS;
    members.values().forEach(member -> member.said = Optional.empty());
  }

  public void said(SimMembership who, long ofRound, NodeInfo info) {
    Member member = members.get(who.name());
    if (ofRound != round || phase != Phase.GATHERING || member == null || member.at != who) {
      return;
    }
    member.said = Optional.of(info);
    if (members.values().stream().allMatch(each -> each.said.isPresent())) {
      phase = Phase.DECIDING;
      deadlineNanos = reach.agenda.nowNanos() + SESSION_NANOS;
      List<NodeInfo> infos =
          new ArrayList<>(members.values().stream().map(each -> each.said.orElseThrow()).toList());
      long generation = Math.max(last.generation() + 1, nowMicros.getAsLong() / 1_000);
      List<Member> all = List.copyOf(members.values());
      all.get(reach.random.nextInt(all.size())).at.decide(round, generation, infos);
    }
  }

  public void decided(long ofRound, Placement placement) {
    if (ofRound != round || phase != Phase.DECIDING) {
      return;
    }
    phase = Phase.STABLE;
    last = placement;
    whenDecided.accept(placement);
    members.values().forEach(member -> member.at.tell(placement));
  }

  /** What was decided last. */
  public Placement last() {
    return last;
  }

  public boolean isStable() {
    return phase == Phase.STABLE;
  }
}
