package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.control.Control.PartitionDescription;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a node says of changes that its local log lacks, and that the shared log keeps. */
final class KeptFiguresTest extends SnapshotsFixture {

  /** A node that began with a snapshot, and leads. */
  private Node begunWithSnapshot() throws Exception {
    lead(first, second);
    write(first, "old");
    snapshot(first);
    Node third = nodes.start(3);
    third.replicas.follow(P);
    nodes.pass(1_000);
    assertThat(third.replicas.view(P).orElseThrow().begun()).isGreaterThan(1);
    lead(third, first);
    return third;
  }

  private static PartitionDescription describe(Node node) {
    TableMeta meta = new TableMeta("t", TestRows.SCHEMA, new TableOptions(Durability.OS, 0, 0));
    TableRecord table =
        new TableRecord(
            1, meta, 0, List.of(new PartitionRecord(P, Bytes.EMPTY, Bytes.EMPTY, List.of())));
    return new Tables(node.replicas, node.replicas, ClusterView.none())
        .describe(table)
        .partitions()
        .get(0);
  }

  private Lags lags(Node node, List<Long> positions) throws Exception {
    CompletableFuture<Lags> answer = node.replicas.looks().lags(new Behind(P, positions));
    nodes.settle();
    return answer.join();
  }

  @Test
  void a_replica_that_began_with_a_snapshot_names_the_first_kept_change_and_no_bytes()
      throws Exception {
    Node third = begunWithSnapshot();
    PartitionDescription of = describe(third);
    assertThat(of.firstPosition()).isEqualTo(1);
    assertThat(of.changeBytes()).isEqualTo(LogFigures.UNKNOWN);
    assertThat(of.committed()).isEqualTo(third.replicas.committed(P)).isGreaterThan(1);
    write(third, "new");
    long last = third.replicas.committed(P);
    assertThat(lags(third, List.of(0L)).lags())
        .as("without a wait for the shared log")
        .containsExactly(new Lag(Lag.UNKNOWN, Lag.UNKNOWN));
    Lags lags = lags(third, List.of(0L, last - 1, last));
    assertThat(lags.first()).isEqualTo(1);
    assertThat(lags.lags()).extracting(Lag::bytes).element(0).isEqualTo(Lag.UNKNOWN);
    assertThat(lags.lags().get(0).commitMicros())
        .as("the shared log tells when the change was committed")
        .isEqualTo(first.replicas.commitMicrosAfter(P, 0))
        .isLessThan(third.replicas.commitMicrosAfter(P, 0));
    assertThat(lags.lags().get(1).bytes()).as("the local log has this change").isPositive();
    assertThat(lags.lags().get(2).bytes()).isZero();
  }

  @Test
  void a_replica_that_has_read_the_log_from_its_first_record_knows_all_bytes() throws Exception {
    lead(first, second);
    write(first, "a");
    write(first, "b");
    PartitionDescription of = describe(first);
    assertThat(of.firstPosition()).isEqualTo(1);
    assertThat(of.changeBytes()).isEqualTo(first.replicas.bytesAfter(P, 0)).isPositive();
    assertThat(first.replicas.bytesAfter(P, 1)).isBetween(1L, of.changeBytes() - 1);
  }

  @Test
  void changes_that_the_table_keeps_no_longer_are_no_unknown_bytes() throws Exception {
    nodes.retentionMicros = 600_000_000;
    Node third = begunWithSnapshot();
    assertThat(third.replicas.bytesAfter(P, 0)).as("kept").isEqualTo(LogFigures.UNKNOWN);
    nodes.clock.pass(500_000);
    write(third, "new");
    assertThat(third.replicas.bytesAfter(P, 0)).as("some kept").isEqualTo(LogFigures.UNKNOWN);
    nodes.clock.pass(700_000);
    assertThat(third.replicas.bytesAfter(P, 0)).as("none kept").isNotNegative();
  }

  @Test
  void a_replica_without_changes_knows_that_none_is_kept_when_the_last_one_has_expired()
      throws Exception {
    nodes.retentionMicros = 600_000_000;
    Node third = begunWithSnapshot();
    assertThat(describe(third).changeBytes()).isEqualTo(LogFigures.UNKNOWN);
    nodes.clock.pass(601_000);
    assertThat(third.replicas.bytesAfter(P, 0)).isZero();
  }

  @Test
  void a_trim_of_the_shared_log_is_the_first_kept_change() throws Exception {
    nodes.retentionMicros = 60_000_000;
    lead(first, second);
    write(first, "old");
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isPositive();
    Node third = nodes.start(3);
    third.replicas.follow(P);
    nodes.pass(1_000);
    lead(third, first);
    assertThat(describe(third).firstPosition())
        .isEqualTo(newest(1).at().position())
        .isEqualTo(lags(third, List.of(0L)).first());
  }
}
