package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Three nodes over the log of one partition and its log of blocks. Each may think that it leads,
 * takes snapshots, verifies, trims and deletes; markers, stale leaders and slow readers lie between
 * all of these. A reader that is never late knows the truth.
 */
final class TrimWorld {

  private static final int NODES = 3;
  private static final int KEPT_CHANGES = 30;
  private static final long MINUTE = 60_000_000_000L;
  private static final long SECOND = MINUTE / 60;

  private final Random random;
  private final List<Appended> log = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final FollowCore truth = new FollowCore(FollowState.NONE);

  /** Snapshots that count, and when. */
  private final List<Snapshot> snapshots = new ArrayList<>();

  private final Map<Long, Long> countedNanos = new HashMap<>();

  /** Snapshots with a block that is damaged. */
  private final Set<Long> damaged = new HashSet<>();

  /** Offset and first position of the batches that count. */
  private final List<long[]> batches = new ArrayList<>();

  private Trim allowed = Trim.NONE;
  private long blocks;
  private long logStart;
  private long blocksStart;
  private long nowNanos;
  private long markers;
  private int trims;
  private int fenced;

  private record Appended(AppendHeader header, Optional<AppendValue> value) {}

  private static final class Node {
    private FollowCore follow = new FollowCore(FollowState.NONE);
    private TrimCore trim = new TrimCore(Trim.NONE);

    /** The marker under which the node appends; none of a node that follows. */
    private Optional<FollowState.Stretch> epoch = Optional.empty();

    private long number;
    private Optional<Snapshot> written = Optional.empty();
    private int attempts;
  }

  TrimWorld(Random random) {
    this.random = random;
    for (int i = 0; i < NODES; i++) {
      nodes.add(new Node());
    }
  }

  int trims() {
    return trims;
  }

  int fenced() {
    return fenced;
  }

  void step() {
    Node node = nodes.get(random.nextInt(NODES));
    int chance = random.nextInt(100);
    if (chance < 4) {
      claim(node);
    } else if (chance < 40) {
      append(node, Kind.BATCHES, 1 + random.nextInt(5), Optional.empty());
    } else if (chance < 50) {
      beginSnapshot(node);
    } else if (chance < 60) {
      node.written.ifPresent(each -> append(node, Kind.SNAPSHOT, 0, Optional.of(each)));
      node.written = Optional.empty();
    } else if (chance < 70) {
      read(node, 1 + random.nextInt(10));
    } else if (chance < 80) {
      verify(node);
    } else if (chance < 90) {
      trim(node);
    } else if (chance < 96) {
      delete(node.trim.trimmed());
    } else {
      nowNanos += random.nextInt(36) * SECOND;
    }
  }

  private void claim(Node node) {
    markers++;
    add(new Appended(AppendHeader.marker(markers, markers, -1), Optional.empty()));
    read(node, Integer.MAX_VALUE);
    node.epoch = Optional.of(node.follow.newest());
    node.number = 0;
    node.attempts = 0;
    node.written = Optional.empty();
  }

  /** A leader whose marker is not the newest any more does not know this before it reads on. */
  private void append(Node node, Kind kind, int changes, Optional<AppendValue> value) {
    if (node.epoch.isEmpty()) {
      return;
    }
    boolean isAlone = node.follow.next() == log.size();
    AppendHeader header =
        new AppendHeader(
            kind,
            node.epoch.get().epoch(),
            node.epoch.get().marker(),
            node.number + 1,
            node.follow.position(),
            changes,
            node.follow.snapshot(),
            Bytes.EMPTY);
    add(new Appended(header, value));
    if (isAlone) {
      read(node, 1);
      node.number = node.follow.number();
    }
  }

  private void add(Appended record) {
    long offset = log.size();
    log.add(record);
    Verdict verdict = truth.read(offset, record.header());
    boolean counts = verdict == Verdict.COUNTS;
    fenced += !counts && record.value().isPresent() ? 1 : 0;
    if (counts && record.header().kind() == Kind.BATCHES) {
      batches.add(new long[] {offset, record.header().first()});
    } else if (counts && record.value().orElseThrow() instanceof Snapshot snapshot) {
      snapshots.add(snapshot);
      countedNanos.put(snapshot.id(), nowNanos);
      allowed = allowed.with(snapshot.trimmed());
    } else if (counts && record.value().orElseThrow() instanceof Trim trim) {
      allowed = allowed.with(trim);
      trims++;
    }
  }

  private void read(Node node, int count) {
    if (node.follow.next() < logStart) {
      begin(node);
    }
    for (int i = 0; i < count && node.follow.next() < log.size(); i++) {
      long offset = node.follow.next();
      Appended record = log.get((int) offset);
      Verdict verdict = node.follow.read(offset, record.header());
      record.value().ifPresent(value -> node.trim.read(verdict, value, nowNanos));
      if (verdict == Verdict.MARKER || verdict == Verdict.ENDS_EPOCH) {
        node.epoch = Optional.empty();
      }
    }
  }

  /** The log no longer has what the node would read next: it begins with a snapshot. */
  private void begin(Node node) {
    Snapshot snapshot = startable().get(startable().size() - 1);
    node.follow = new FollowCore(snapshot.at());
    node.trim = new TrimCore(snapshot.trimmed());
    node.trim.read(Verdict.COUNTS, snapshot, nowNanos);
    node.epoch = Optional.empty();
  }

  private void beginSnapshot(Node node) {
    if (node.epoch.isEmpty() || node.written.isPresent()) {
      return;
    }
    node.attempts++;
    FollowState at = node.follow.state();
    long id = at.next() * 1_000 + node.attempts;
    int count = 1 + random.nextInt(3);
    node.written =
        Optional.of(
            new Snapshot(
                id,
                at,
                0,
                node.trim.trimmed(),
                new SnapshotContent(blocks, count, 0, count * 40L, 0)));
    blocks += count;
    if (random.nextInt(5) == 0) {
      damaged.add(id);
    }
  }

  private void verify(Node node) {
    for (Node leader : nodes) {
      leader
          .trim
          .unverified(true)
          .ifPresent(
              id -> {
                boolean isIntact =
                    !damaged.contains(id)
                        && leader.trim.usable().get(0).blocks().firstOffset() >= blocksStart;
                if (isIntact) {
                  leader.trim.verified(id, node != leader);
                }
              });
    }
  }

  private void trim(Node node) {
    if (node.epoch.isEmpty()) {
      return;
    }
    long position = Math.max(1, node.follow.position() - KEPT_CHANGES);
    node.trim
        .due(new Kept(position, offsetOf(position, node.follow.next())), true, nowNanos)
        .ifPresent(due -> append(node, Kind.TRIM, 0, Optional.of(due)));
  }

  /** The offset of the record that has the change at a position. */
  private long offsetOf(long position, long next) {
    long offset = 0;
    for (long[] batch : batches) {
      if (batch[1] > position || batch[0] >= next) {
        break;
      }
      offset = batch[0];
    }
    return offset;
  }

  private void delete(Trim trim) {
    logStart = Math.max(logStart, trim.offset());
    blocksStart = Math.max(blocksStart, trim.block());
  }

  /** Snapshots that are intact, and whose blocks and log are there. */
  private List<Snapshot> startable() {
    return snapshots.stream()
        .filter(each -> !damaged.contains(each.id()))
        .filter(each -> each.at().next() >= logStart)
        .filter(each -> each.blocks().firstOffset() >= blocksStart)
        .toList();
  }

  /** What does not hold, if anything. */
  Optional<String> broken() {
    if (logStart > allowed.offset() || blocksStart > allowed.block()) {
      return Optional.of("deleted for a trim that does not count");
    }
    if (logStart == 0 && blocksStart == 0) {
      return Optional.empty();
    }
    if (snapshots.size() < 2) {
      return Optional.of("trimmed with " + snapshots.size() + " snapshots");
    }
    Snapshot second = snapshots.get(snapshots.size() - 2);
    if (logStart > second.at().next() || blocksStart > second.blocks().firstOffset()) {
      return Optional.of("trimmed beyond the second newest snapshot");
    }
    if (startable().size() < 2) {
      return Optional.of("a node finds " + startable().size() + " intact snapshots");
    }
    long newer =
        startable().stream()
            .skip(1)
            .filter(each -> nowNanos - countedNanos.get(each.id()) >= MINUTE)
            .count();
    if (newer == 0) {
      return Optional.of("trimmed before a node had its minute");
    }
    long kept = Math.max(1, truth.position() - KEPT_CHANGES);
    if (offsetOf(kept, Long.MAX_VALUE) < logStart) {
      return Optional.of("position " + kept + " is kept and not in the log");
    }
    return Optional.empty();
  }
}
