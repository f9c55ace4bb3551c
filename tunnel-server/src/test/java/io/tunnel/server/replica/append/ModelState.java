package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Role;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A state of {@link RuleModel}: a log, what is under way to it, and two nodes.
 *
 * @param flight records that were sent and have not landed
 * @param acknowledged acknowledgements that no node has heard of
 * @param applied the first position of each append that was answered as applied
 * @param refused appends that were answered as refused
 */
record ModelState(
    List<Sent> log,
    List<Sent> flight,
    List<Acknowledged> acknowledged,
    List<Node> nodes,
    Map<Integer, Long> applied,
    Set<Integer> refused,
    int appends,
    int markers,
    int copies,
    int repeats,
    int cuts) {

  /**
   * A record.
   *
   * @param id of the append; the same for a copy
   * @param write what a client wants; appends that repeat a write have its number
   * @param seen what the node knew to count before it
   */
  record Sent(int id, int write, int node, AppendHeader header, List<Integer> seen) {}

  record Acknowledged(Sent sent, long offset) {}

  /**
   * A node.
   *
   * @param counted the appends that it knows to count, in their order
   */
  record Node(LeadCore.State<Sent> lead, List<Integer> counted) {
    static final Node NEW =
        new Node(
            new LeadCore.State<>(FollowState.NONE, Role.FOLLOWING, Optional.empty(), List.of()),
            List.of());
  }

  static <T> List<T> with(List<T> list, T one) {
    List<T> more = new ArrayList<>(list);
    more.add(one);
    return more;
  }

  static <T> List<T> without(List<T> list, int index) {
    List<T> less = new ArrayList<>(list);
    less.remove(index);
    return less;
  }

  /** Makes the next state. */
  static final class Change {
    private List<Sent> log;
    private List<Sent> flight;
    private List<Acknowledged> acknowledged;
    private final List<Node> nodes;
    private final Map<Integer, Long> applied;
    private final Set<Integer> refused;
    private int appends;
    private int markers;
    private int copies;
    private int repeats;
    private int cuts;

    Change(ModelState from) {
      log = from.log();
      flight = from.flight();
      acknowledged = from.acknowledged();
      nodes = new ArrayList<>(from.nodes());
      applied = new TreeMap<>(from.applied());
      refused = new HashSet<>(from.refused());
      appends = from.appends();
      markers = from.markers();
      copies = from.copies();
      repeats = from.repeats();
      cuts = from.cuts();
    }

    Change log(List<Sent> now) {
      log = List.copyOf(now);
      return this;
    }

    Change flight(List<Sent> now) {
      flight = now;
      return this;
    }

    Change acknowledged(List<Acknowledged> now) {
      acknowledged = now;
      return this;
    }

    Change sent(Sent one) {
      flight = with(flight, one);
      return this;
    }

    Change node(int index, LeadCore<Sent> lead, List<Integer> counted) {
      nodes.set(index, new Node(lead.state(), List.copyOf(counted)));
      return this;
    }

    Change settled(LeadCore.Settled<Sent> what) {
      if (what.outcome() == Outcome.COUNTS) {
        applied.put(what.what().id(), what.header().first());
      } else if (what.outcome() == Outcome.NEVER) {
        refused.add(what.what().id());
      }
      return this;
    }

    /** Keeps the answers that name these appends as applied, and no other answer. */
    Change answered(Set<Integer> kept) {
      applied.keySet().retainAll(kept);
      refused.clear();
      return this;
    }

    Change appended() {
      appends++;
      return this;
    }

    Change marked() {
      markers++;
      return this;
    }

    Change copied() {
      copies++;
      return this;
    }

    Change repeated() {
      repeats++;
      return this;
    }

    Change cut() {
      cuts++;
      return this;
    }

    ModelState state() {
      return new ModelState(
          List.copyOf(log),
          List.copyOf(flight),
          List.copyOf(acknowledged),
          List.copyOf(nodes),
          applied,
          refused,
          appends,
          markers,
          copies,
          repeats,
          cuts);
    }
  }
}
