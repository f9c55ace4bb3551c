package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.Logged;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
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
      nodes.pass(1_000);
      assertThat(logged.at(Level.ERROR))
          .singleElement()
          .asString()
          .contains(
              "the replica of partition 1 cannot begin", "block 0", "snapshot " + newest(1).id());
    }
    assertThat(third.replicas.view(P)).isEmpty();
    assertThat(third.replicas.isCaughtUp(P)).isFalse();
    requireServing(third, Q);
    requireServing(first, P);
    assertThat(second.replicas.isCaughtUp(P)).isTrue();
    // Each attempt tries the newest snapshot first.
    snapshot(first);
    nodes.pass(5_000);
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
    lead(third, first);
    assertThat(has(third, "old")).isTrue();
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

  /** A range of more than 4 MiB is written to a file, and each write to this device fails. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void a_disk_that_fills_while_a_replica_begins_delays_this_replica_alone() throws Exception {
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
    Node third = nodes.start(3);
    third.replicas.lead(Q);
    nodes.pass(100);
    Path load = directory.resolve("node-3/shard-1/table/load");
    Files.createDirectories(load);
    Files.createSymbolicLink(load.resolve(P + "-1.sst"), Path.of("/dev/full"));
    try (Logged logged = Logged.of(StartingLanes.class)) {
      third.replicas.follow(P);
      nodes.pass(1_000);
      assertThat(logged.at(Level.ERROR))
          .singleElement()
          .asString()
          .contains("the replica of partition 1 cannot begin", "No space");
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
