package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.Logged;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.disk.TappedDisk;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.server.table.PartitionScan;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Nodes that cannot begin with a snapshot, or come back after a long time, or tell a wrong time.
 */
final class TroubledStartsTest extends SnapshotsFixture {

  private static final int Q = 2;
  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

  private static boolean has(Node node, String key) {
    PartitionHost host = node.replicas.of(P);
    boolean has = host.table().get(P, keyBytes(key)).isPresent();
    host.requireWhole();
    return has;
  }

  private void requireServing(Node node, int partition) throws Exception {
    Outcomes outcome = new Outcomes();
    node.replicas
        .of(partition)
        .write(Outcomes.write(batch(partition, put("other")), false, outcome));
    nodes.settle();
    assertThat(outcome.result().appliedRows()).isEqualTo(1);
  }

  /** Two snapshots that a node has read back, and a log that is trimmed to the first of them. */
  private void trim() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    write(first, "old");
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isPositive();
  }

  @Test
  void a_replica_without_an_intact_snapshot_fails_by_the_name_of_the_block_and_others_serve()
      throws Exception {
    trim();
    nodes.blocks.flipAll(P);
    Node third = nodes.start(3);
    try (Logged logged = Logged.of(StartingLanes.class)) {
      third.replicas.follow(P);
      third.replicas.lead(Q);
      nodes.pass(1_500);
      assertThat(logged.at(Level.ERROR))
          .singleElement()
          .asString()
          .contains(
              "the replica of partition 1 cannot begin",
              "block 0 of snapshot " + newest(0).id(),
              "block 0 of snapshot " + newest(1).id(),
              "the log names no other snapshot",
              "will retry in 2 s");
    }
    assertThat(third.replicas.view(P)).isEmpty();
    requireShown(third);
    assertThat(third.replicas.isCaughtUp(P)).isFalse();
    requireServing(third, Q);
    requireServing(first, P);
    assertThat(second.replicas.isCaughtUp(P)).isTrue();
    // Each attempt tries the newest snapshot first.
    snapshot(first);
    nodes.pass(70_000, 500);
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
    assertThat(status(third, P).error()).isEmpty();
    assertThat(third.replicas.figures().behind()).isZero();
    lead(third, first);
    assertThat(has(third, "old")).isTrue();
  }

  /** Descriptions, figures and refusals of a node name the block. */
  private void requireShown(Node node) {
    ReplicaStatus failed = status(node, P);
    assertThat(failed.role()).isEqualTo("FAILED");
    assertThat(failed.error().orElseThrow()).contains("block 0 of snapshot " + newest(0).id());
    assertThat(failed.lag()).isEqualTo(ReplicaStatus.UNKNOWN);
    assertThat(node.replicas.status())
        .extracting(ReplicaStatus::partition, ReplicaStatus::role)
        .containsExactly(tuple(P, "FAILED"), tuple(Q, "LEADING"));
    assertThat(node.replicas.figures().replicas()).isEqualTo(2);
    assertThat(node.replicas.figures().behind()).isEqualTo(1);
    assertThat(node.replicas.snapshots().damaged()).isEqualTo(2);
    assertThatThrownBy(() -> node.replicas.of(P))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no replica of partition 1: block 0 of snapshot " + newest(0).id());
  }

  private static ReplicaStatus status(Node node, int partition) {
    return node.replicas.status().stream()
        .filter(one -> one.partition() == partition)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void starts_without_a_readable_snapshot_are_tried_less_and_less_often() throws Exception {
    trim();
    nodes.blocks.flipAll(P);
    Node third = nodes.start(3);
    List<Long> pauses = new ArrayList<>();
    try (Logged logged = Logged.of(StartingLanes.class)) {
      third.replicas.follow(P);
      long lastMs = 0;
      for (long ms = 0; ms < 400_000; ms += 500) {
        nodes.pass(500, 500);
        if (!logged.at(Level.ERROR).isEmpty()) {
          logged.clear();
          pauses.add((ms - lastMs) / 1_000);
          lastMs = ms;
        }
      }
    }
    assertThat(pauses).containsExactly(0L, 2L, 4L, 8L, 16L, 32L, 64L, 64L, 64L, 64L, 64L);
    third.replicas.leave(P);
    nodes.pass(100);
    assertThat(third.replicas.status()).isEmpty();
    assertThat(third.replicas.figures().replicas()).isZero();
    third.replicas.follow(P);
    nodes.pass(100);
    assertThat(status(third, P).role()).as("begins at once").isEqualTo("FAILED");
  }

  @Test
  void a_replica_that_leaves_while_it_begins_is_begun_no_more() throws Exception {
    trim();
    nodes.blocks.flipAll(P);
    Node third = nodes.start(3);
    third.replicas.follow(P);
    third.replicas.leave(P);
    nodes.pass(10_000, 500);
    assertThat(third.replicas.status()).isEmpty();
    assertThat(third.replicas.figures().replicas()).isZero();
    assertThat(third.replicas.snapshots().damaged()).as("one attempt").isEqualTo(2);
  }

  @Test
  void a_replica_that_leaves_while_its_rows_are_loaded_leaves_no_rows() throws Exception {
    trim();
    Node third = nodes.start(3);
    third.replicas.follow(P);
    third.replicas.leave(P);
    nodes.pass(1_000);
    assertThat(third.replicas.status()).isEmpty();
    assertThat(third.replicas.figures().replicas()).isZero();
    Shard shard = third.replicas.shards().get(P % ReplicaNodes.SHARDS);
    assertThat(shard.table().count(P, 100).rows()).isZero();
    assertThat(first.replicas.shards().get(P % ReplicaNodes.SHARDS).table().count(P, 100).rows())
        .isPositive();
  }

  private void work() throws Exception {
    while (first.step()) {
      // Until nothing waits. No record lands meanwhile.
    }
  }

  @Test
  void a_replica_that_is_lost_while_it_leaves_is_not_begun_anew() throws Exception {
    lead(first, second);
    write(first, "a");
    Outcomes doubtful = new Outcomes();
    first.replicas.of(P).write(Outcomes.write(batch(P, put("b")), false, doubtful));
    work();
    first.replicas.leave(P);
    work();
    assertThat(first.replicas.status()).as("waits for the append under way").hasSize(1);
    nodes.logs.elect(P, 2);
    first.replicas.lookAtEnds();
    work();
    assertThat(doubtful.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    assertThat(first.replicas.status()).isEmpty();
    assertThat(first.replicas.figures().replicas()).isZero();
    assertThat(first.replicas.count(Incident.BEGUN_ANEW)).isZero();
    Shard shard = first.replicas.shards().get(P % ReplicaNodes.SHARDS);
    assertThat(shard.table().count(P, 100).rows()).isZero();
  }

  @Test
  void a_start_says_what_is_tried_next() throws Exception {
    trim();
    Node third = nodes.start(3);
    try (Logged logged = Logged.of(ReplicaStart.class)) {
      nodes.blocks.loseBlock(P);
      third.replicas.follow(P);
      nodes.pass(1_500);
      assertThat(logged.at(Level.ERROR))
          .singleElement()
          .asString()
          .contains("snapshot " + newest(0).id(), "looks for another snapshot");
      assertThat(third.replicas.isCaughtUp(P)).isTrue();
      assertThat(third.replicas.snapshots().damaged()).isEqualTo(1);
      nodes.blocks.flipAll(P);
      logged.clear();
      Node fourth = nodes.start(4);
      fourth.replicas.follow(P);
      nodes.pass(1_000);
      assertThat(logged.at(Level.ERROR))
          .hasSizeGreaterThan(1)
          .first()
          .asString()
          .contains("snapshot " + newest(0).id(), "looks for another snapshot");
    }
  }

  @Test
  void a_log_with_all_changes_is_read_when_its_only_snapshot_is_damaged() throws Exception {
    lead(first, second);
    snapshot(first);
    nodes.blocks.flipAll(P);
    Node third = nodes.start(3);
    try (Logged logged = Logged.of(ReplicaStart.class)) {
      third.replicas.follow(P);
      nodes.pass(1_000);
      assertThat(logged.at(Level.ERROR))
          .last()
          .asString()
          .endsWith("reads the log, which has all changes");
    }
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
  }

  @Test
  void a_log_that_does_not_answer_is_no_error_and_is_told_now_and_then() throws Exception {
    lead(first, second);
    nodes.unstarted = Optional.of("partition 1 is not in the catalog");
    Node third = nodes.start(3);
    try (Logged logged = Logged.of(StartingLanes.class)) {
      third.replicas.follow(P);
      nodes.pass(1_000);
      assertThat(logged.at(Level.INFO))
          .singleElement()
          .asString()
          .contains("partition 1 cannot begin yet", "not in the catalog", "will retry in 2 s");
      assertThat(logged.at(Level.WARN)).isEmpty();
      nodes.pass(17_000);
      assertThat(logged.at(Level.WARN)).as("after 2, 4 and 8 attempts").hasSize(3);
      assertThat(logged.at(Level.ERROR)).isEmpty();
      assertThat(logged.traces()).isZero();
    }
    assertThat(third.replicas.status()).as("nothing has failed").isEmpty();
    nodes.unstarted = Optional.empty();
    nodes.pass(2_100);
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
  }

  @Test
  void a_node_that_was_away_while_the_log_was_trimmed_begins_with_a_snapshot() throws Exception {
    Node third = nodes.start(3);
    third.replicas.follow(P);
    lead(first, second);
    write(first, "before");
    second.close();
    trimWith(third);
    second = nodes.start(2);
    nodes.pass(1_000);
    assertThat(second.replicas.isCaughtUp(P)).isTrue();
    assertThat(second.replicas.view(P).orElseThrow().begun()).isEqualTo(newest(0).at().position());
    lead(second, first);
    assertThat(has(second, "before")).isTrue();
    assertThat(has(second, "old")).isTrue();
  }

  private void trimWith(Node follower) throws Exception {
    nodes.retentionMicros = 60_000_000;
    write(first, "old");
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(follower.replicas.isCaughtUp(P)).isTrue();
    assertThat(logStart()).isPositive();
  }

  private static long entries(Node node) {
    AtomicLong entries = new AtomicLong();
    Shard shard = node.replicas.shards().get(P % ReplicaNodes.SHARDS);
    try (PartitionScan scan = shard.store().scanEntries(P)) {
      assertThat(
              scan.run(
                  (range, key, keyOffset, value) -> {
                    entries.incrementAndGet();
                    return true;
                  }))
          .isTrue();
    }
    return entries.get();
  }

  /** A snapshot with more than 4 MiB of rows. */
  private void snapshotOfLargeRows() throws Exception {
    lead(first, second);
    String half = "x".repeat(1 << 19);
    for (int i = 0; i < 10; i++) {
      Outcomes outcome = new Outcomes();
      Column large = new Column("c", ColumnValue.fromString(half + i));
      first.replicas.of(P).write(Outcomes.write(batch(P, put("large" + i, large)), false, outcome));
      nodes.settle();
      assertThat(outcome.result().appliedRows()).isEqualTo(1);
    }
    nodes.pass(5_000);
  }

  /** A range of more than 4 MiB is written to a file, and each write to this device fails. */
  private Node startWithFullDisk() throws Exception {
    Node third = nodes.start(3);
    third.replicas.lead(Q);
    nodes.pass(100);
    Path load = directory.resolve("node-3/shard-1/table/load");
    Files.createDirectories(load);
    Files.createSymbolicLink(load.resolve(P + "-1.sst"), Path.of("/dev/full"));
    return third;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void a_replica_that_leaves_after_a_start_that_failed_halfway_leaves_nothing() throws Exception {
    snapshotOfLargeRows();
    Node third = startWithFullDisk();
    third.replicas.follow(P);
    nodes.pass(1_000);
    assertThat(entries(third)).as("loaded before the failure").isPositive();
    third.replicas.leave(P);
    nodes.pass(100);
    assertThat(entries(third)).isZero();
    assertThat(third.replicas.figures().replicas()).as("the other one").isEqualTo(1);
  }

  @Test
  void a_replica_that_leaves_while_the_disk_is_full_is_deleted_when_there_is_space()
      throws Exception {
    AtomicBoolean isFull = new AtomicBoolean();
    AtomicInteger refused = new AtomicInteger();
    nodes.disks =
        path -> {
          TappedDisk disk = new TappedDisk(Disks.ofSystem().open(path));
          disk.tap(
              (operation, file) -> {
                if (isFull.get() && operation.equals("write")) {
                  refused.incrementAndGet();
                  throw new DiskFullException("no room in " + file);
                }
              });
          return disk;
        };
    Node third = nodes.start(3);
    third.replicas.follow(P);
    lead(first, second);
    write(first, "a");
    nodes.pass(1_000);
    assertThat(third.replicas.committed(P)).isPositive();
    isFull.set(true);
    try (Logged logged = Logged.of(StartingLanes.class)) {
      third.replicas.leave(P);
      nodes.pass(5_000);
      assertThat(logged.at(Level.WARN))
          .as("once")
          .singleElement()
          .asString()
          .contains("cannot delete the rows of partition 1", "no room", "will retry every 2 s");
    }
    assertThat(refused.get()).isEqualTo(3);
    isFull.set(false);
    nodes.pass(2_100);
    isFull.set(true);
    nodes.pass(5_000);
    assertThat(refused.get()).as("no further attempt").isEqualTo(3);
    isFull.set(false);
    third.replicas.follow(P);
    nodes.pass(1_000);
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void a_disk_that_fills_while_a_replica_begins_delays_this_replica_alone() throws Exception {
    snapshotOfLargeRows();
    Node third = startWithFullDisk();
    try (Logged logged = Logged.of(StartingLanes.class)) {
      third.replicas.follow(P);
      nodes.pass(1_000);
      assertThat(logged.at(Level.INFO))
          .singleElement()
          .asString()
          .contains("the replica of partition 1 cannot begin yet", "No space");
    }
    assertThat(third.replicas.view(P)).isEmpty();
    assertThat(third.replicas.isCaughtUp(P)).isFalse();
    requireServing(third, Q);
    nodes.pass(5_000);
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
    lead(third, first);
    assertThat(has(third, "large9")).isTrue();
  }

  @Test
  void a_leader_whose_clock_is_an_hour_ahead_gives_up_the_lead_and_commits_nothing_an_hour_ahead()
      throws Exception {
    nodes.aheadMicros.put(1, HOUR_MICROS);
    second.replicas.follow(P);
    first.replicas.lead(P);
    nodes.pass(1_000);
    assertThat(first.replicas.isServing(P)).isFalse();
    lead(second, first);
    write(second, "a");
    nodes.pass(1_000);
    long latest = nodes.clock.epochMicros() + TimeUnit.MINUTES.toMicros(1);
    assertThat(second.replicas.view(P).orElseThrow().lastMicros()).isBetween(1L, latest);
    nodes.aheadMicros.remove(1);
    second.replicas.follow(P);
    first.replicas.lead(P);
    nodes.pass(11_000);
    assertThat(first.replicas.isServing(P)).isTrue();
    assertThat(has(first, "a")).isTrue();
  }

  @Test
  void a_leader_whose_clock_is_set_an_hour_ahead_dates_no_change_by_it() throws Exception {
    lead(first, second);
    write(first, "a");
    nodes.aheadMicros.put(1, HOUR_MICROS);
    Outcomes refused = new Outcomes();
    first.replicas.of(P).write(Outcomes.write(batch(P, put("b")), false, refused));
    nodes.settle();
    assertThat(refused.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(first.replicas.isServing(P)).isFalse();
    nodes.pass(11_000);
    assertThat(first.replicas.isServing(P)).as("the log has another time").isFalse();
    lead(second, first);
    write(second, "c");
    assertThat(has(second, "b")).isFalse();
    long latest = nodes.clock.epochMicros() + TimeUnit.MINUTES.toMicros(1);
    assertThat(second.replicas.view(P).orElseThrow().lastMicros()).isBetween(1L, latest);
    nodes.aheadMicros.remove(1);
    second.replicas.follow(P);
    first.replicas.lead(P);
    nodes.pass(11_000);
    assertThat(first.replicas.isServing(P)).isTrue();
    assertThat(has(first, "c")).isTrue();
  }
}
