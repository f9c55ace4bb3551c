package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.history.ModelLog.Origin;
import io.tunnel.server.replica.shared.ReplicaCore.Role;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Some replicas of a partition, of which any may lead at any time, over a log that loses and delays
 * what is appended, says that it failed when it did not, and is compacted while slow readers read.
 * Replicas are stopped and go on as if nothing had happened, die, and lose their disks.
 */
final class ReplicaSimulation {

  /** What a world has seen; all of it must come to pass in some world. */
  enum Happening {
    ACKNOWLEDGED_APPEND,
    LATE_PIECE,
    LATE_MARKER,
    LOST_PIECE,
    LEADER_REPLACED,
    CLAIMED_AGAIN,
    REPAIRED,
    COMPACTED,
    REBUILT,
    DOUBTFUL,
    RESTARTED,
    WIPED,
    READ_AGAIN,
    HISTORY_LOST
  }

  private record Piece(List<Entry> entries, List<Origin> origins) {
    int append() {
      return origins.get(0).append();
    }
  }

  private static final List<Bytes> KEYS =
      List.of(text("a"), text("b"), text("c"), text("d"), text("e"), text("f"));

  private final Random random;
  private final ModelLog log;
  private final List<ModelNode> nodes = new ArrayList<>();
  private final List<ModelNode> stopped = new ArrayList<>();
  private final List<Piece> late = new ArrayList<>();
  private final Map<Integer, Integer> settledByAppend = new HashMap<>();
  private final Map<Happening, Integer> happenings = new EnumMap<>(Happening.class);

  /** How probable trouble with an append is, in percent; differs between worlds. */
  private final int trouble;

  private int lastAppend;
  private int lastValue;

  ReplicaSimulation(long seed) {
    random = new Random(seed);
    log = new ModelLog(random.nextBoolean());
    trouble = random.nextInt(60);
    for (int count = 2 + random.nextInt(3); count > 0; count--) {
      nodes.add(new ModelNode(log, settledByAppend));
    }
  }

  private static Bytes text(String text) {
    return Bytes.copyOf(text.getBytes(StandardCharsets.UTF_8));
  }

  Map<Happening, Integer> run(int steps) {
    try {
      for (int step = 0; step < steps; step++) {
        step();
        readAgain();
        atMostOneLeads();
      }
      calm();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(e.getMessage() + "\nThe log:\n" + log, e);
    }
    return happenings;
  }

  private void happens(Happening happening) {
    happenings.merge(happening, 1, Integer::sum);
  }

  private void step() {
    ModelNode node = nodes.get(random.nextInt(nodes.size()));
    boolean isRunning = !stopped.contains(node);
    int chance = random.nextInt(100);
    if (chance < 45) {
      if (isRunning) {
        node.read(1 + random.nextInt(6), random.nextBoolean());
      }
    } else if (chance < 70) {
      nodes.stream().filter(any -> !stopped.contains(any)).forEach(this::write);
    } else if (chance < 76) {
      log.pass(random.nextInt(random.nextInt(4) == 0 ? 120 : 20));
    } else if (chance < 82) {
      compact(log.compactableTo());
    } else if (chance < 87) {
      lands();
    } else if (chance < 90) {
      if (isRunning && (random.nextBoolean() || noneLeads())) {
        claim(node);
      }
    } else if (chance < 92) {
      if (!stopped.remove(node)) {
        stopped.add(node);
      }
    } else if (chance < 94) {
      node.store();
    } else if (chance < 95) {
      node.restart();
      happens(Happening.RESTARTED);
    } else if (chance < 96) {
      node.wipe();
      happens(Happening.WIPED);
    } else {
      rebuild();
    }
  }

  /** A channel is far behind, at any replica. */
  private void readAgain() {
    ModelNode node = nodes.get(random.nextInt(nodes.size()));
    if (random.nextInt(8) == 0 && node.core().next() > 0) {
      boolean isKnown = random.nextBoolean() && node.knownFrom() < node.core().next();
      long from = isKnown ? node.knownFrom() : random.nextLong(node.core().next());
      int got = node.readAgain(from, 1 + random.nextInt(9));
      happens(got < 0 ? Happening.HISTORY_LOST : Happening.READ_AGAIN);
    }
  }

  private boolean noneLeads() {
    return nodes.stream().noneMatch(ModelNode::leadsByLog);
  }

  private void compact(long highest) {
    if (highest > 0) {
      log.compact(random.nextBoolean() ? highest : random.nextLong(highest + 1));
      happens(Happening.COMPACTED);
    }
  }

  /** A replica from nothing, at this moment, comes to the same as if nothing were compacted. */
  private ModelNode rebuild() {
    ModelNode fresh = new ModelNode(log, settledByAppend);
    while (!fresh.isAtEnd()) {
      fresh.read(1 + random.nextInt(10), true);
    }
    fresh.check();
    happens(fresh.isSureOfRepairs() ? Happening.REBUILT : Happening.DOUBTFUL);
    return fresh;
  }

  private void claim(ModelNode node) {
    Bytes value = text("marker " + ++lastValue);
    node.claim(value);
    send(
        new Piece(List.of(ModelNode.marker(value)), List.of(new Origin(++lastAppend, 0, 1))),
        node,
        Happening.LATE_MARKER);
  }

  /** A leader takes its next due step, or a random step. */
  private void write(ModelNode node) {
    if (node.hasToClaim()) {
      happens(Happening.CLAIMED_AGAIN);
      claim(node);
      return;
    }
    if (!node.mayAppend()) {
      return;
    }
    List<Bytes> repairs = node.core().keysToRepair();
    int count = 1 + random.nextInt(repairs.isEmpty() ? 5 : repairs.size());
    long sequence = node.core().take(count);
    int append = ++lastAppend;
    List<Entry> entries = new ArrayList<>();
    List<Origin> origins = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      Kind kind = repairs.isEmpty() ? Kind.CHANGE : Kind.REPAIR;
      Bytes key = repairs.isEmpty() ? KEYS.get(random.nextInt(KEYS.size())) : repairs.get(index);
      Bytes value = node.value(key);
      if (kind == Kind.CHANGE) {
        value = random.nextInt(3) == 0 ? Bytes.EMPTY : text("row " + ++lastValue);
      }
      Optional<Bytes> present = value.length() == 0 ? Optional.empty() : Optional.of(value);
      entries.add(new Entry(kind, key, node.core().epoch(), sequence + index, present));
      origins.add(new Origin(append, index, count));
    }
    node.begins(origins.get(0));
    for (int from = 0; from < count; ) {
      int to = from + 1 + random.nextInt(count - from);
      send(
          new Piece(entries.subList(from, to), origins.subList(from, to)),
          node,
          Happening.LATE_PIECE);
      from = to;
    }
    happens(repairs.isEmpty() ? Happening.ACKNOWLEDGED_APPEND : Happening.REPAIRED);
  }

  private void send(Piece piece, ModelNode node, Happening lateness) {
    boolean isBehind = late.stream().anyMatch(other -> other.append() == piece.append());
    if (!isBehind && random.nextInt(100) >= trouble) {
      land(piece);
      if (random.nextInt(100) < trouble / 4) {
        node.doubts();
      }
      return;
    }
    node.doubts();
    if (random.nextInt(3) == 0) {
      happens(Happening.LOST_PIECE);
    } else {
      late.add(piece);
      happens(lateness);
    }
  }

  /** What was delayed comes; of one append in order. */
  private void lands() {
    if (!late.isEmpty()) {
      int append = late.get(random.nextInt(late.size())).append();
      Piece first = late.stream().filter(piece -> piece.append() == append).findFirst().get();
      late.remove(first);
      land(first);
    }
  }

  private void land(Piece piece) {
    long former = log.epoch();
    for (int index = 0; index < piece.entries().size(); index++) {
      Origin origin = piece.origins().get(index);
      boolean counts = log.append(piece.entries().get(index), origin);
      Integer settled = settledByAppend.get(origin.append());
      if (counts && settled != null) {
        assertThat(origin.index())
            .as("its writer was told that it never counts, it is in %d", log.end() - 1)
            .isLessThan(settled);
      }
    }
    if (log.epoch() != former && nodes.stream().anyMatch(node -> node.isOwnMarker(former))) {
      happens(Happening.LEADER_REPLACED);
    }
  }

  private void atMostOneLeads() {
    assertThat(nodes.stream().filter(ModelNode::leadsByLog).count()).isLessThanOrEqualTo(1);
  }

  /** After the last fault a node leads and repairs, and all nodes have equal rows. */
  private void calm() {
    stopped.clear();
    while (!late.isEmpty()) {
      lands();
    }
    ModelNode leader = nodes.get(0);
    readToEnd(leader);
    Bytes value = text("the last marker");
    leader.claim(value);
    land(new Piece(List.of(ModelNode.marker(value)), List.of(new Origin(++lastAppend, 0, 1))));
    readToEnd(leader);
    assertThat(leader.core().role()).isEqualTo(Role.LEADING);
    while (!leader.core().unrepaired().isEmpty()) {
      writeCalmly(leader, leader.core().keysToRepair(), Kind.REPAIR);
    }
    writeCalmly(leader, KEYS.subList(0, 2), Kind.CHANGE);
    nodes.forEach(this::readToEnd);
    assertThat(nodes).allMatch(node -> node.core().wholeFrom() < log.end());
    for (int pass = 0; pass < 3; pass++) {
      log.pass(ModelLog.LAG + ModelLog.DELETE_RETENTION);
      assertThat(log.compactableTo()).isEqualTo(log.end());
      log.compact(log.end());
      rebuild();
    }
    nodes.forEach(this::readToEnd);
    nodes.forEach(ModelNode::check);
    // Every node has the records behind the last compaction.
    long last = log.end();
    writeCalmly(leader, KEYS.subList(0, 3), Kind.CHANGE);
    nodes.forEach(this::readToEnd);
    nodes.forEach(node -> assertThat(node.readAgain(last, 2)).isEqualTo(3));
  }

  private void writeCalmly(ModelNode leader, List<Bytes> keys, Kind kind) {
    long sequence = leader.core().take(keys.size());
    int append = ++lastAppend;
    List<Entry> entries = new ArrayList<>();
    List<Origin> origins = new ArrayList<>();
    for (Bytes key : keys) {
      int index = entries.size();
      Bytes row = leader.value(key);
      Optional<Bytes> value = row.length() == 0 ? Optional.empty() : Optional.of(row);
      entries.add(new Entry(kind, key, leader.core().epoch(), sequence + index, value));
      origins.add(new Origin(append, index, keys.size()));
    }
    leader.begins(origins.get(0));
    land(new Piece(entries, Collections.unmodifiableList(origins)));
    readToEnd(leader);
  }

  private void readToEnd(ModelNode node) {
    while (!node.isAtEnd()) {
      node.read(1 + random.nextInt(10), true);
    }
  }
}
