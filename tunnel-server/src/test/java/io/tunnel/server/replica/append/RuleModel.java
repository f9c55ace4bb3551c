package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Role;
import io.tunnel.server.replica.append.ModelState.Acknowledged;
import io.tunnel.server.replica.append.ModelState.Change;
import io.tunnel.server.replica.append.ModelState.Node;
import io.tunnel.server.replica.append.ModelState.Sent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * All interleavings of two nodes that append to one log through {@link LeadCore}: claims, appends,
 * records that land in any order, twice or never, acknowledgements that are late or lost, failed
 * appends, clients that repeat a write, and a log that loses its end. After each step everything
 * that was answered is compared with what the log says by a rule of its own.
 */
final class RuleModel {

  private static final int NODES = 2;

  /** Appends under way of a node. */
  private static final int UNDER_WAY_MAX = 2;

  /** Writes are numbered from here; the first append of a write has the write's number. */
  private static final int WRITES = 100;

  /**
   * How much may happen.
   *
   * @param empty the first so many appends have no changes
   * @param cuts how often the log loses its end
   * @param givesUp whether nodes give up waiting for appends
   */
  record Bounds(
      int appends, int empty, int markers, int copies, int repeats, int cuts, boolean givesUp) {}

  private final Bounds bounds;
  private final Map<ModelState, ModelState> before = new HashMap<>();
  private final Map<ModelState, String> step = new HashMap<>();
  private final Queue<ModelState> open = new ArrayDeque<>();

  RuleModel(Bounds bounds) {
    this.bounds = bounds;
  }

  /**
   * Visits every state.
   *
   * @return how many there are
   * @throws AssertionError when something was answered that the log does not say
   */
  int run() {
    ModelState first =
        new ModelState(
            List.of(),
            List.of(),
            List.of(),
            List.of(Node.NEW, Node.NEW),
            Map.of(),
            Set.of(),
            0,
            0,
            0,
            0,
            0);
    before.put(first, first);
    open.add(first);
    while (!open.isEmpty()) {
      ModelState state = open.remove();
      successors(
          state,
          (name, next) -> {
            ModelState known = canonical(next);
            if (before.putIfAbsent(known, state) == null) {
              step.put(known, name);
              require(known);
              open.add(known);
            }
          });
    }
    return before.size();
  }

  /** The order of what is under way means nothing. */
  private static ModelState canonical(ModelState state) {
    List<Sent> flight = new ArrayList<>(state.flight());
    flight.sort(Comparator.comparing(Sent::toString));
    List<Acknowledged> acknowledged = new ArrayList<>();
    for (Acknowledged each : state.acknowledged()) {
      boolean isAwaited =
          state.nodes().get(each.sent().node()).lead().pending().stream()
              .anyMatch(one -> one.what().equals(each.sent()) && one.acknowledgedAt().isEmpty());
      if (isAwaited) {
        acknowledged.add(each);
      }
    }
    acknowledged.sort(Comparator.comparing(Acknowledged::toString));
    return new ModelState(
        state.log(),
        flight,
        acknowledged,
        state.nodes(),
        state.applied(),
        state.refused(),
        state.appends(),
        state.markers(),
        state.copies(),
        state.repeats(),
        state.cuts());
  }

  private void successors(ModelState state, BiConsumer<String, ModelState> next) {
    for (int node = 0; node < NODES; node++) {
      nodeSteps(state, node, next);
    }
    for (int i = 0; i < state.flight().size(); i++) {
      flightSteps(state, i, next);
    }
    if (state.cuts() < bounds.cuts()) {
      for (int left = 0; left < state.log().size(); left++) {
        next.accept("cut to " + left, cut(state, left));
      }
    }
  }

  private void flightSteps(ModelState state, int index, BiConsumer<String, ModelState> next) {
    Sent sent = state.flight().get(index);
    List<Sent> rest = ModelState.without(state.flight(), index);
    List<Sent> log = ModelState.with(state.log(), sent);
    List<Acknowledged> acknowledged = state.acknowledged();
    boolean isFirst = acknowledged.stream().noneMatch(each -> each.sent().equals(sent));
    if (sent.header().kind() != Kind.MARKER && isFirst) {
      acknowledged = ModelState.with(acknowledged, new Acknowledged(sent, state.log().size()));
    }
    next.accept(
        "land " + sent.id(),
        new Change(state).log(log).acknowledged(acknowledged).flight(rest).state());
    if (state.copies() < bounds.copies() && sent.header().kind() != Kind.MARKER) {
      next.accept(
          "land a copy of " + sent.id(),
          new Change(state).log(log).acknowledged(acknowledged).copied().state());
    }
    next.accept("lose " + sent.id(), new Change(state).flight(rest).state());
  }

  private void nodeSteps(ModelState state, int index, BiConsumer<String, ModelState> next) {
    Node node = state.nodes().get(index);
    if (state.markers() < bounds.markers() && node.lead().role() != Role.CLAIMING) {
      LeadCore<Sent> lead = core(node);
      int id = -1 - state.markers();
      Sent marker = new Sent(id, id, index, lead.claim(id, 1), List.of());
      next.accept(
          index + " claims with " + id,
          new Change(state).node(index, lead, node.counted()).sent(marker).marked().state());
    }
    boolean mayGiveUp = node.lead().role() != Role.LEADING && !node.lead().pending().isEmpty();
    if (bounds.givesUp() && mayGiveUp) {
      LeadCore<Sent> lead = core(node);
      int oldest = lead.underWay().get(0).id();
      Change change = new Change(state);
      lead.giveUp(each -> each.id() == oldest).forEach(change::settled);
      next.accept(index + " gives up " + oldest, change.node(index, lead, node.counted()).state());
    }
    if (core(node).mayAppend()) {
      appends(state, index, next);
    }
    if (node.lead().follow().next() < state.log().size()) {
      next.accept(index + " reads", read(state, index));
    }
    for (int i = 0; i < state.acknowledged().size(); i++) {
      Acknowledged each = state.acknowledged().get(i);
      if (each.sent().node() == index) {
        Change without =
            new Change(state).acknowledged(ModelState.without(state.acknowledged(), i));
        next.accept(
            index + " hears of " + each.sent().id(), heard(without, node, index, each).state());
        LeadCore<Sent> lead = core(node);
        lead.resign();
        next.accept(
            index + " hears of a failure", without.node(index, lead, node.counted()).state());
      }
    }
  }

  private void appends(ModelState state, int index, BiConsumer<String, ModelState> next) {
    Node node = state.nodes().get(index);
    List<Integer> seen = new ArrayList<>(node.counted());
    node.lead().pending().forEach(each -> seen.add(each.what().id()));
    if (state.appends() < bounds.appends()) {
      int id = state.appends();
      next.accept(index + " appends " + id, append(state, index, id, WRITES + id, seen).state());
    }
    if (state.repeats() < bounds.repeats() && state.appends() < bounds.appends()) {
      // A client asks again for a write whose answer it lost. The node knows what counts, and what
      // is under way.
      for (int write = WRITES; write < WRITES + state.appends(); write++) {
        int wanted = write;
        boolean isKnown = seen.stream().anyMatch(id -> writeOf(state, id) == wanted);
        if (!isKnown) {
          int id = state.appends();
          next.accept(
              index + " repeats " + write + " as " + id,
              append(state, index, id, write, seen).repeated().state());
        }
      }
    }
  }

  private static int writeOf(ModelState state, int id) {
    List<Sent> all = new ArrayList<>(state.log());
    all.addAll(state.flight());
    state.nodes().forEach(n -> n.lead().pending().forEach(each -> all.add(each.what())));
    return all.stream()
        .filter(each -> each.id() == id)
        .map(Sent::write)
        .findFirst()
        .orElse(WRITES + id);
  }

  private Change append(ModelState state, int index, int id, int write, List<Integer> seen) {
    LeadCore<Sent> lead = core(state.nodes().get(index));
    int changes = id < bounds.empty() ? 0 : 1;
    Sent[] made = new Sent[1];
    lead.append(
        Kind.BATCHES,
        changes,
        header -> {
          made[0] = new Sent(id, write, index, header, List.copyOf(seen));
          return made[0];
        });
    return new Change(state)
        .node(index, lead, state.nodes().get(index).counted())
        .sent(made[0])
        .appended();
  }

  private ModelState read(ModelState state, int index) {
    Node node = state.nodes().get(index);
    LeadCore<Sent> lead = core(node);
    int offset = (int) node.lead().follow().next();
    Sent record = state.log().get(offset);
    LeadCore.Read<Sent> read = lead.read(offset, record.header());
    List<Integer> counted = new ArrayList<>(node.counted());
    if (read.verdict() == FollowCore.Verdict.COUNTS) {
      counted.add(record.id());
    }
    Change change = new Change(state);
    boolean isOwn = true;
    for (LeadCore.Settled<Sent> each : read.settled()) {
      // The record itself is counted above.
      if (each.outcome() == Outcome.COUNTS && !(isOwn && each.what().id() == record.id())) {
        counted.add(each.what().id());
      }
      isOwn = false;
      change.settled(each);
    }
    return change.node(index, lead, counted).state();
  }

  private static Change heard(Change change, Node node, int index, Acknowledged what) {
    LeadCore<Sent> lead = core(node);
    List<Integer> counted = new ArrayList<>(node.counted());
    for (LeadCore.Settled<Sent> each : lead.acknowledged(what.sent().header(), what.offset())) {
      if (each.outcome() == Outcome.COUNTS) {
        counted.add(each.what().id());
      }
      change.settled(each);
    }
    return change.node(index, lead, counted);
  }

  /**
   * Kafka has lost the end of the log, and each node is told before it is told anything else. What
   * was answered because of lost records holds no longer, which no rule can prevent.
   */
  private static ModelState cut(ModelState state, int left) {
    Change change = new Change(state).log(state.log().subList(0, left)).cut();
    for (int i = 0; i < NODES; i++) {
      Node node = state.nodes().get(i);
      if (node.lead().follow().next() > left) {
        change.node(i, core(Node.NEW), List.of());
      } else {
        LeadCore<Sent> lead = core(node);
        lead.resign();
        change.node(i, lead, node.counted());
      }
    }
    Map<Integer, Long> kept = counted(state.log().subList(0, left));
    return change.answered(kept.keySet()).acknowledged(List.of()).state();
  }

  private static LeadCore<Sent> core(Node node) {
    return new LeadCore<>(node.lead(), UNDER_WAY_MAX);
  }

  // What the log says, by a rule of its own.

  /** The first position of each append that counts. */
  private static Map<Integer, Long> counted(List<Sent> log) {
    Map<Integer, Long> counted = new TreeMap<>();
    Sent marker = null;
    boolean isOver = false;
    long number = 1;
    long position = 1;
    for (int offset = 0; offset < log.size(); offset++) {
      Sent record = log.get(offset);
      AppendHeader header = record.header();
      if (header.kind() == Kind.MARKER) {
        marker = record;
        isOver = false;
        number = 1;
      } else if (marker != null && header.marker() == marker.header().marker() && !isOver) {
        if (header.number() == number && header.first() == position) {
          counted.put(record.id(), position);
          position += header.changes();
          number++;
        } else {
          isOver = true;
        }
      }
    }
    return counted;
  }

  private void require(ModelState state) {
    Map<Integer, Long> counted = counted(state.log());
    Set<Integer> writes = new HashSet<>();
    List<Integer> order = new ArrayList<>();
    for (Sent each : state.log()) {
      if (counted.containsKey(each.id()) && !order.contains(each.id())) {
        check(state, writes.add(each.write()), "write " + each.write() + " counts twice");
        check(
            state,
            each.seen().equals(order),
            each.id() + " was judged behind " + each.seen() + " and counts behind " + order);
        order.add(each.id());
      }
    }
    state
        .applied()
        .forEach(
            (id, first) ->
                check(
                    state,
                    first.equals(counted.get(id)),
                    id + " was answered at " + first + ", and counts at " + counted.get(id)));
    state
        .refused()
        .forEach(id -> check(state, !counted.containsKey(id), id + " was refused and counts"));
    for (Node node : state.nodes()) {
      int next = (int) node.lead().follow().next();
      check(
          state,
          node.counted().equals(List.copyOf(inOrder(state.log().subList(0, next)))),
          "a node takes " + node.counted() + " for what counts before " + next);
    }
  }

  private static List<Integer> inOrder(List<Sent> log) {
    Map<Integer, Long> counted = counted(log);
    List<Integer> order = new ArrayList<>();
    for (Sent each : log) {
      if (counted.containsKey(each.id()) && !order.contains(each.id())) {
        order.add(each.id());
      }
    }
    return order;
  }

  private void check(ModelState state, boolean isRight, String what) {
    if (!isRight) {
      List<String> steps = new ArrayList<>();
      for (ModelState at = state; step.containsKey(at); at = before.get(at)) {
        steps.add(0, step.get(at));
      }
      throw new AssertionError(what + " after " + steps);
    }
  }
}
