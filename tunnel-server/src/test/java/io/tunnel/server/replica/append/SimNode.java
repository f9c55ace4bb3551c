package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.SeenPlaces;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardLog;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A node of a test: its replicas of partitions of a {@link SimAppendLogs}, and the log of its
 * shard.
 */
public final class SimNode implements SharedShardLog.Notices {

  /** How long the fate of an append may stay open until {@link #expire} answers its writes. */
  public static final long OUTCOME_MS_MAX = 400;

  private final SharedShardLog log;
  private final SimAppendLogs logs;
  private final SimTail tail;
  private final Shard.Clock clock;
  private final int partitions;
  private final Deque<Runnable> answers = new ArrayDeque<>();
  private final Set<Integer> lost = new TreeSet<>();
  private final List<Kind> said = new ArrayList<>();

  /**
   * A node that goes on from what it has stored of {@code partitions}.
   *
   * @param places as {@link #places} made them, with what the local log has
   */
  public SimNode(
      int id,
      SimAppendLogs logs,
      int partitions,
      LocalLog local,
      SeenPlaces places,
      Around around) {
    this.logs = logs;
    this.partitions = partitions;
    this.tail = new SimTail(logs);
    this.clock = around.clock();
    this.log =
        new SharedShardLog(
            local,
            new LaneWiring(
                logs.of(id),
                tail,
                logs::marker,
                new AppendValue.Leader("node-" + id, ""),
                around.posts(),
                clock),
            this,
            new LaneAnswers(partition -> Optional.empty(), OUTCOME_MS_MAX),
            new Incidents());
    for (int partition = 1; partition <= partitions; partition++) {
      log.begin(partition, ((SeenRecords) places).state(partition));
    }
  }

  /** Who runs what the log posts, and the clock. */
  public record Around(Consumer<Runnable> posts, Shard.Clock clock) {}

  /** How far a table has the logs. */
  public static SeenPlaces places(Map<Integer, Bytes> states) {
    return new SeenRecords(states);
  }

  /** The log of the node's shard. */
  public ShardLog log() {
    return log;
  }

  private SharedLane lane(int partition) {
    return log.lane(partition).orElseThrow();
  }

  @Override
  public void lost(int partition, String cause) {
    lost.add(partition);
  }

  @Override
  public void said(int partition, long offset, AppendValue value) {
    said.add(value.kind());
  }

  /** The partitions of which the log has not what the node needs. */
  public Set<Integer> lost() {
    return lost;
  }

  /** Wants to lead a partition, or no more. */
  public void want(int partition, boolean toLead) {
    if (toLead) {
      lane(partition).lead(clock.nanos());
    } else {
      lane(partition).follow();
    }
  }

  /** Claims the partitions that the node wants to lead and does not, if it is time. */
  public void tick(long nowMs) {
    for (int partition = 1; partition <= partitions; partition++) {
      lane(partition).tick(clock.nanos(), nowMs);
    }
  }

  /** Answers writes whose fate has been open for too long. */
  public void expire() {
    log.expire(clock.nanos());
  }

  /** Appends a control record without a meaning, where the node leads. */
  public void control(int partition, List<String> outcomes) {
    log.append(partition, AppendValue.Trim.NONE, outcome -> outcomes.add(outcome.name()));
  }

  /** Whether something of the partition waits for the disk. */
  public boolean isBehind(int partition) {
    return log.isBehind(partition);
  }

  /** The node has no replica of the partition any more. */
  public void end(int partition) {
    log.end(partition);
  }

  /** The control records that count, by the local log. */
  public List<String> said() {
    return said.stream().map(Kind::name).toList();
  }

  /** Whether the node appends to a partition. */
  public boolean isLeading(int partition) {
    return lane(partition).isLeading();
  }

  /** What the node knows of the log of a partition. */
  public String known(int partition) {
    return lane(partition).state().follow().toString();
  }

  /** Whether the node has read everything. */
  public boolean isCaughtUp() {
    for (int partition = 1; partition <= partitions; partition++) {
      if (lane(partition).next() != logs.size(partition)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the node reads on by itself; a leader that rests waits for its acknowledgements. */
  public boolean hasUnread() {
    boolean hasUnread = tail.waiting() > 0 || !answers.isEmpty();
    for (int partition = 1; partition <= partitions; partition++) {
      hasUnread |=
          lane(partition).standing() == Standing.READS
              && lane(partition).next() != logs.size(partition);
    }
    return hasUnread;
  }

  /** Looks at the ends of the logs; the answers come some time later. */
  public void look() {
    long askedNanos = clock.nanos();
    for (int partition = 1; partition <= partitions; partition++) {
      int of = partition;
      tail.ends(List.of(of))
          .get(of)
          .thenAccept(end -> answers.add(() -> log.sawEnd(of, end, askedNanos)));
    }
  }

  /** Reads a few records of each partition, and takes some of what the tail tells. */
  public void read(SplittableRandom random) {
    for (int partition = 1; partition <= partitions; partition++) {
      tail.read(partition, random.nextInt(4));
    }
    if (!answers.isEmpty() && random.nextBoolean()) {
      answers.remove().run();
    }
    for (int count = random.nextInt(6); count > 0; count--) {
      tail.next().ifPresent(log::take);
    }
  }

  /** Whether the node knows nothing of a partition. */
  public boolean isNew(int partition) {
    return lane(partition).state().follow().equals(FollowState.NONE);
  }

  /** The replica of a partition begins anew; false when that failed, and the lane has nothing. */
  public boolean renew(int partition, Shard shard, BooleanSupplier step, SimStart start) {
    lost.remove(partition);
    log.end(partition);
    Optional<LaneState> begun = start.begin(shard, partition, step);
    log.begin(partition, begun.orElse(LaneState.NONE));
    return begun.isPresent();
  }

  /** A leader writes a snapshot of a partition, and appends the record that names the snapshot. */
  public void snapshot(int partition, Shard shard, SimStart start) {
    AppendValue.Snapshot made = start.write(shard, partition, lane(partition).state());
    log.append(
        partition,
        made,
        outcome -> {
          if (outcome == LeadCore.Outcome.COUNTS) {
            start.counted(partition, made);
          }
        });
  }
}
