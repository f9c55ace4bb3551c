package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.Logged;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.wire.WriteResult;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whole nodes take snapshots, read them back, trim their log, and begin with them. */
final class ReplicaSnapshotsTest extends SnapshotsFixture {

  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(7).array());
  private static final Bytes OTHER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(8).array());

  private static boolean has(Node node, String key) {
    boolean has = node.replicas.of(P).table().get(P, keyBytes(key)).isPresent();
    node.replicas.of(P).requireWhole();
    return has;
  }

  private static Optional<Long> verified(Node node) {
    return node.replicas.looks().verified(P).join();
  }

  @Test
  void a_follower_reads_a_snapshot_back_and_the_leader_does_not() throws Exception {
    lead(first, second);
    snapshot(first);
    nodes.pass(5_000);
    assertThat(verified(second)).contains(newest(0).id());
    assertThat(verified(first)).isEmpty();
    assertThat(first.replicas.snapshots().taken()).isEqualTo(1);
    assertThat(first.replicas.snapshots().takenBytes()).isPositive();
    assertThat(second.replicas.snapshots().verified()).isEqualTo(1);
  }

  @Test
  void a_leader_without_followers_reads_its_snapshots_back() throws Exception {
    first.replicas.lead(P);
    nodes.pass(100);
    snapshot(first);
    nodes.pass(5_000);
    assertThat(verified(first)).contains(newest(0).id());
  }

  @Test
  void a_log_is_trimmed_to_the_second_newest_snapshot_and_a_node_without_a_disk_begins_there()
      throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    write(first, "old");
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(11_000);
    assertThat(count(Kind.TRIM)).as("a node that loads a snapshot has time").isZero();
    nodes.pass(WAIT_MS, 1_000);
    assertThat(count(Kind.TRIM)).isEqualTo(1);
    assertThat(logStart()).isEqualTo(newest(1).at().next()).isPositive();
    assertThat(nodes.blocks.firstBlock(P)).isEqualTo(newest(1).blocks().firstOffset());
    assertThat(first.replicas.snapshots().trims()).isEqualTo(1);
    write(first, "new");
    Node third = nodes.start(3);
    third.replicas.follow(P);
    nodes.pass(1_000);
    lead(third, first);
    assertThat(has(third, "old")).isTrue();
    assertThat(has(third, "new")).isTrue();
  }

  @Test
  void changes_that_the_table_keeps_are_not_trimmed_but_blocks_are() throws Exception {
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isZero();
    assertThat(nodes.blocks.firstBlock(P)).isEqualTo(newest(1).blocks().firstOffset());
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(nodes.blocks.firstBlock(P)).isEqualTo(newest(1).blocks().firstOffset());
    assertThat(logStart()).isZero();
  }

  @Test
  void changes_beyond_the_bytes_that_the_table_keeps_are_trimmed() throws Exception {
    nodes.retentionBytes = 1_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isEqualTo(newest(1).at().next());
  }

  @Test
  void nothing_is_trimmed_before_another_node_has_read_two_snapshots_back() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    nodes.blocks.isUnreadable = true;
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(verified(second)).isEmpty();
    assertThat(count(Kind.TRIM)).isZero();
    assertThat(logStart()).isZero();
    nodes.blocks.isUnreadable = false;
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isEqualTo(newest(1).at().next());
  }

  @Test
  void no_trim_passes_a_damaged_snapshot_and_a_node_begins_with_the_one_before() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    long trimmedTo = logStart();
    AppendValue.Snapshot intact = newest(0);
    try (Logged logged = Logged.of(Snapshots.class)) {
      nodes.blocks.flipsNextBlock = true;
      snapshot(first);
      nodes.pass(WAIT_MS, 1_000);
      assertThat(logged.at(Level.ERROR))
          .singleElement()
          .asString()
          .contains("block 0", "snapshot " + newest(0).id(), "partition 1");
    }
    assertThat(second.replicas.snapshots().damaged()).isEqualTo(1);
    assertThat(logStart()).isEqualTo(trimmedTo);
    assertThat(verified(second)).contains(intact.id());
    Node third = nodes.start(3);
    third.replicas.follow(P);
    nodes.pass(1_000);
    assertThat(third.replicas.isCaughtUp(P)).isTrue();
    assertThat(third.replicas.view(P).orElseThrow().begun()).isEqualTo(intact.at().position());
    // Two intact snapshots after the damaged one.
    snapshot(first);
    nodes.pass(11_000);
    assertThat(logStart()).isEqualTo(trimmedTo);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isEqualTo(intact.at().next());
  }

  @Test
  void a_leader_that_is_replaced_ends_its_snapshot_at_once_and_the_next_leader_takes_one()
      throws Exception {
    first.close();
    nodes.snapshotLimits = limits(1, TimeUnit.MINUTES.toNanos(30));
    first = nodes.start(1);
    lead(first, second);
    fill(first);
    nodes.pass(2_000);
    assertThat(pinned(first)).as("a snapshot is under way").isEqualTo(1);
    lead(second, first);
    assertThat(pinned(first)).isZero();
    snapshot(second);
    nodes.pass(2_000);
    assertThat(count(Kind.SNAPSHOT)).isEqualTo(1);
    assertThat(first.replicas.snapshots().taken()).isZero();
    assertThat(second.replicas.snapshots().taken()).isEqualTo(1);
  }

  /** More rows than a slice of a snapshot has. */
  private void fill(Node leader) throws Exception {
    byte[] value = new byte[3_000];
    new SplittableRandom(1).nextBytes(value);
    Column column = new Column("v", ColumnValue.fromBinary(value));
    for (int i = 0; i < 120; i++) {
      Outcomes outcome = new Outcomes();
      ChangeBatch batch = batch(P, put("k" + i, column));
      leader.replicas.of(P).write(Outcomes.write(batch, false, outcome));
      nodes.settle();
      assertThat(outcome.result().appliedRows()).isEqualTo(1);
    }
  }

  private static int pinned(Node node) {
    return node.replicas.shards().stream().mapToInt(shard -> shard.store().snapshotCount()).sum();
  }

  @Test
  void a_snapshot_that_takes_too_long_releases_the_table() throws Exception {
    first.close();
    nodes.snapshotLimits = limits(1, TimeUnit.SECONDS.toNanos(20));
    first = nodes.start(1);
    lead(first, second);
    fill(first);
    nodes.pass(10_000);
    assertThat(pinned(first)).isEqualTo(1);
    nodes.pass(20_000);
    assertThat(pinned(first)).isZero();
    assertThat(first.replicas.snapshots().failed()).isEqualTo(1);
    nodes.pass(40_000);
    assertThat(pinned(first)).as("a pause").isZero();
    nodes.pass(25_000);
    assertThat(pinned(first)).as("another attempt").isEqualTo(1);
    assertThat(count(Kind.SNAPSHOT)).isZero();
  }

  @Test
  void a_stop_releases_the_table() throws Exception {
    first.close();
    nodes.snapshotLimits = limits(1, TimeUnit.MINUTES.toNanos(30));
    first = nodes.start(1);
    lead(first, second);
    fill(first);
    nodes.pass(2_000);
    assertThat(pinned(first)).isEqualTo(1);
    first.stopSnapshots();
    assertThat(pinned(first)).isZero();
  }

  @Test
  void a_node_that_starts_again_knows_what_is_trimmed_before_it_reads() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(count(Kind.TRIM)).isEqualTo(1);
    AppendValue.Trim trim = second.replicas.view(P).orElseThrow().log().trimmed();
    assertThat(trim.position()).isEqualTo(newest(1).at().position());
    second.close();
    second = nodes.start(2);
    while (second.replicas.view(P).isEmpty()) {
      boolean unused = second.step();
    }
    assertThat(second.replicas.view(P).orElseThrow().log().trimmed()).isEqualTo(trim);
    // Also when the table has stored the place.
    write(first, "more");
    nodes.pass(100);
    second.close();
    second = nodes.start(2);
    while (second.replicas.view(P).isEmpty()) {
      boolean unused = second.step();
    }
    assertThat(second.replicas.view(P).orElseThrow().log().trimmed()).isEqualTo(trim);
  }

  @Test
  void old_changes_before_the_trim_are_lost_on_each_node_also_after_a_cold_start()
      throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    snapshot(first);
    nodes.pass(5_000);
    long kept = newest(2).at().position();
    Node third = nodes.start(3);
    lead(third, first);
    for (int i = 0; i < 3; i++) {
      third.replicas.retain(nodes.clock.epochMicros());
      nodes.settle();
    }
    RefusedException lost =
        catchThrowableOfType(
            RefusedException.class, () -> third.replicas.plan(P, kept - 1, 1 << 20));
    assertThat(lost.code()).isEqualTo(ErrorCode.HISTORY_LOST);
    assertThat(third.replicas.firstKeptPosition(P)).isEqualTo(kept);
    Extents plan = third.replicas.plan(P, kept, 1 << 20);
    nodes.settle();
    assertThat(plan.isAwaited()).isTrue();
    assertThat(third.replicas.plan(P, kept, 1 << 20).isAwaited()).isFalse();
  }

  @Test
  void a_node_that_starts_again_goes_on_with_the_two_newest_snapshots() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(11_000);
    AppendValue.Snapshot newest = newest(0);
    AppendValue.Snapshot before = newest(1);
    first.close();
    second.close();
    first = nodes.start(1);
    second = nodes.start(2);
    lead(first, second);
    nodes.pass(15_000);
    assertThat(verified(second)).as("read back again").contains(newest.id());
    nodes.pass(WAIT_MS, 1_000);
    assertThat(count(Kind.TRIM)).as("one snapshot is read back since").isZero();
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isEqualTo(newest.at().next());
    assertThat(before.id()).isLessThan(newest.id());
  }

  @Test
  void a_refused_deletion_is_an_error_and_is_tried_again_less_and_less_often() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.undeletable = Optional.of("Kafka refused to delete the records of t.log.1-0");
    try (Logged logged = Logged.of(Snapshots.class)) {
      nodes.pass(WAIT_MS, 1_000);
      assertThat(count(Kind.TRIM)).isEqualTo(1);
      assertThat(logged.at(Level.ERROR))
          .isNotEmpty()
          .allMatch(line -> line.contains("t.log.1-0") && line.contains("right DELETE"));
    }
    long refused = first.replicas.snapshots().refusedDeletions();
    assertThat(refused).isBetween(3L, 8L);
    assertThat(logStart()).isZero();
    assertThat(nodes.blocks.firstBlock(P)).isEqualTo(newest(1).blocks().firstOffset());
    write(first, "others are not touched");
    nodes.undeletable = Optional.empty();
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isEqualTo(newest(1).at().next());
    assertThat(first.replicas.snapshots().refusedDeletions()).isLessThanOrEqualTo(refused + 1);
  }

  @Test
  void a_new_leader_deletes_what_the_former_one_did_not() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.undeletable = Optional.of("not now");
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isZero();
    nodes.undeletable = Optional.empty();
    lead(second, first);
    nodes.pass(2_000);
    assertThat(logStart()).isEqualTo(newest(1).at().next());
  }

  @Test
  void a_snapshot_has_the_answers_of_batches_whose_rows_were_all_refused() throws Exception {
    lead(first, second);
    write(first, "k1");
    nodes.pass(100);
    WriteResult refused = send(first, numbered());
    assertThat(refused.rejections()).hasSize(1);
    // No later change folds the answer.
    for (int i = 0; count(Kind.SNAPSHOT) == 0; i++) {
      send(first, Optional.of(new Numbered(OTHER, i + 1, i)));
      nodes.pass(200);
      assertThat(i).isLessThan(1_000);
    }
    second.close();
    first.close();
    PrivateFiles.deleteAll(directory.resolve("node-1"));
    PrivateFiles.deleteAll(directory.resolve("node-2"));
    nodes.logs.trim(P, (int) newest(0).at().next());
    first = nodes.start(1);
    second = nodes.start(2);
    lead(first, second);
    Outcomes deleted = new Outcomes();
    ChangeBatch deletion = batch(P, new RowDeleteChange(TestRows.key("k1")));
    first.replicas.of(P).write(Outcomes.write(deletion, false, deleted));
    nodes.settle();
    assertThat(deleted.result().appliedRows()).isEqualTo(1);
    assertThat(send(first, numbered())).isEqualTo(refused);
  }

  private static Optional<Numbered> numbered() {
    return Optional.of(new Numbered(WRITER, 1, 0));
  }

  /** Writes a row that is there, on the condition that the row is not there. */
  private WriteResult send(Node node, Optional<Numbered> numbered) throws Exception {
    ChangeBatch batch =
        batch(
            P,
            new RowPutChange(
                TestRows.key("k1"), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST));
    Outcomes outcome = new Outcomes();
    PendingWrite.Judging judging =
        new PendingWrite.Judging(
            ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch));
    node.replicas.of(P).write(new PendingWrite(batch, judging, numbered, true, outcome));
    nodes.settle();
    return outcome.result();
  }
}
