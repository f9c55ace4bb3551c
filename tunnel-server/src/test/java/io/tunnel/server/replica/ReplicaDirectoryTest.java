package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.Markers;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas on a real disk, in RocksDB, driven step by step. */
class ReplicaDirectoryTest {

  @TempDir Path directory;

  private final FakeSharedLog log = new FakeSharedLog(new Random(1));
  private final WriteLedger ledger = new WriteLedger();
  private Set<Integer> live = Set.of(1, 2, 3, 4);
  private int counted = 4;
  private Bytes origin = Bytes.EMPTY;
  private Bytes catalog = Bytes.fromHex("0c");
  private FakeSharedLog.Node node;
  private List<ReplicaShard> shards;
  private Replicas replicas;

  private void open(String identity, int count) throws IOException {
    Replicas.Layout layout =
        new Replicas.Layout(
            directory,
            new ReplicasIdentity(identity, catalog, count),
            new Replicas.LocalDisk(Disks.ofSystem(), 4_096, 0),
            SimNode.CONFIG,
            new TableStoreConfig(1 << 20, 1 << 20, 1),
            WriterLimits.DEFAULT);
    node = log.node();
    Replicas.Ports ports =
        new Replicas.Ports(
            node,
            new Markers("a", "start " + System.identityHashCode(node)),
            partition -> Optional.empty(),
            partition -> Long.MAX_VALUE,
            partition -> Long.MAX_VALUE,
            partitions());
    Shard.Clock clock =
        new Shard.Clock() {
          @Override
          public long epochMicros() {
            return log.nowMicros;
          }

          @Override
          public long nanos() {
            return 1;
          }
        };
    shards = new ReplicaDirectory(layout, ports, new SimNode.Silent(), clock).open();
    replicas = new Replicas(shards, SimNode.CONFIG, ports.log());
    replicas.followStored(live::contains);
  }

  private KnownPartitions partitions() {
    return new KnownPartitions() {
      @Override
      public boolean exists(int partition) {
        return live.contains(partition);
      }

      @Override
      public boolean isDropped(int partition) {
        return partition <= counted && !exists(partition);
      }

      @Override
      public Bytes origin(int partition) {
        return origin;
      }
    };
  }

  private void run() {
    boolean moved = true;
    while (moved) {
      moved = log.settle();
      for (ReplicaShard shard : shards) {
        moved |= shard.step();
      }
    }
  }

  private void close() throws IOException {
    node.kill();
    replicas.close();
  }

  @BeforeEach
  void someRows() throws IOException {
    open("cluster x", 2);
    for (int partition : live) {
      replicas.lead(partition);
    }
    run();
    for (int partition : live) {
      write(partition);
    }
    run();
  }

  private void write(int partition) {
    Column column = new Column("a", ColumnValue.fromString("x"));
    ChangeBatch put = TestRows.batch(partition, TestRows.put("k", column), TestRows.put("l"));
    ChangeBatch update =
        TestRows.batch(
            partition,
            new RowUpdateChange(
                TestRows.key("k"),
                List.of(new ColumnUpdate.Put("b", ColumnValue.fromString("y")))));
    replicas
        .of(partition)
        .write(new PendingWrite(put, false, ColumnSizes.of(put), true, ledger.add(put)));
    replicas
        .of(partition)
        .write(new PendingWrite(update, true, ColumnSizes.of(update), true, ledger.add(update)));
  }

  @AfterEach
  void end() throws IOException {
    close();
  }

  private void requireRows(int partition) throws IOException {
    List<Column> expected =
        List.of(
            new Column("a", ColumnValue.fromString("x")),
            new Column("b", ColumnValue.fromString("y")));
    assertThat(rows(partition).get(partition, TestRows.keyBytes("k"))).contains(expected);
    assertThat(rows(partition).count(partition, 100).rows()).isEqualTo(2);
    assertThat(TestLogs.batches(replicas, partition).stream().mapToInt(ChangeBatch::rowCount).sum())
        .isEqualTo(3);
  }

  private TableStore rows(int partition) {
    return shards.get(partition % shards.size()).rows().store();
  }

  private long next(int partition) {
    return replicas.status().stream()
        .filter(status -> status.partition() == partition)
        .findFirst()
        .orElseThrow()
        .next();
  }

  @Test
  void a_node_goes_on_from_its_directory() throws IOException {
    requireRows(1);
    close();
    open("cluster x", 2);
    shards.forEach(ReplicaShard::step);
    assertThat(next(1)).as("before anything is read").isEqualTo(4);
    requireRows(1);
    run();
    for (int partition : live) {
      requireRows(partition);
      replicas.lead(partition);
    }
    run();
    write(1);
    run();
    assertThat(ledger.acknowledged()).isEqualTo(10);
  }

  @Test
  void copies_of_another_log_are_refused_and_not_touched() throws IOException {
    close();
    assertThatThrownBy(() -> open("cluster y", 2))
        .isInstanceOf(OtherLogException.class)
        .hasMessageContainingAll(
            directory + " has replicas of cluster x, but this is cluster y.",
            "To give these replicas up, delete " + directory);
    open("cluster x", 2);
    shards.forEach(ReplicaShard::step);
    requireRows(1);
  }

  @Test
  void copies_of_another_catalog_are_refused_and_not_touched() throws IOException {
    close();
    catalog = Bytes.fromHex("0d");
    assertThatThrownBy(() -> open("cluster x", 2))
        .isInstanceOf(OtherLogException.class)
        .hasMessageContaining("replicas of catalog 0c of cluster x, but this is catalog 0d");
    catalog = Bytes.fromHex("0c");
    open("cluster x", 2);
    shards.forEach(ReplicaShard::step);
    requireRows(1);
  }

  @Test
  void copies_that_the_catalog_does_not_know_are_kept_and_gone_on_with_when_it_does()
      throws IOException {
    close();
    live = Set.of(1, 2);
    counted = 2;
    open("cluster x", 2);
    run();
    assertThat(replicas.replicas()).containsExactly(1, 2);
    replicas.retain(log.nowMicros);
    run();
    close();
    live = Set.of(1, 2, 3, 4);
    counted = 4;
    open("cluster x", 2);
    shards.forEach(ReplicaShard::step);
    assertThat(next(3)).as("before anything is read").isEqualTo(4);
    requireRows(3);
  }

  @Test
  void a_partitions_id_that_is_given_again_takes_over_no_copy() throws IOException {
    close();
    origin = Bytes.fromHex("02");
    for (int partition : live) {
      log.partition(partition).origin = origin;
      log.partition(partition).kept.clear();
      log.partition(partition).everything.clear();
    }
    open("cluster x", 2);
    shards.forEach(ReplicaShard::step);
    assertThat(next(1)).as("before anything is read or asked").isZero();
    assertThat(rows(1).count(1, 100).rows()).isZero();
    run();
    assertThat(rows(1).count(1, 100).rows()).isZero();
    replicas.lead(1);
    run();
    write(1);
    run();
    assertThat(rows(1).count(1, 100).rows()).isEqualTo(2);
  }

  @Test
  void copies_for_another_number_of_shards_are_made_again() throws IOException {
    close();
    open("cluster x", 1);
    shards.forEach(ReplicaShard::step);
    assertThat(replicas.status()).isEmpty();
    replicas.follow(1);
    run();
    requireRows(1);
  }

  @Test
  void a_shard_whose_log_is_gone_is_made_again_alone() throws IOException {
    close();
    delete(directory.resolve("shard-1").resolve("log"));
    open("cluster x", 2);
    shards.forEach(ReplicaShard::step);
    assertThat(replicas.replicas()).containsExactly(2, 4);
    replicas.follow(1);
    run();
    requireRows(1);
    requireRows(2);
  }

  @Test
  void a_table_that_is_damaged_is_made_again() throws IOException {
    close();
    try (Stream<Path> files = Files.list(directory.resolve("shard-1").resolve("table"))) {
      for (Path file : files.filter(name -> name.toString().contains("MANIFEST")).toList()) {
        Files.write(file, new byte[] {1, 2, 3});
      }
    }
    open("cluster x", 2);
    replicas.follow(1);
    run();
    requireRows(1);
  }

  @Test
  void partitions_that_were_dropped_leave_nothing() throws IOException {
    close();
    live = Set.of(1, 2);
    open("cluster x", 2);
    run();
    assertThat(replicas.replicas()).containsExactly(1, 2);
    assertThat(rows(3).count(3, 100).rows()).isZero();
    assertThat(rows(3).states()).containsOnlyKeys(1);
    requireRows(1);
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void writers_to_all_partitions_of_a_node_share_its_room() {
    Column column = new Column("a", ColumnValue.fromBinary(new byte[2_000_000]));
    long nodeBytesMax = SimNode.CONFIG.batches().nodeQueueBytesMax();
    int refused = 0;
    for (int round = 0; round < 8; round++) {
      for (int partition : live) {
        ChangeBatch batch =
            TestRows.batch(partition, TestRows.put("k", column), TestRows.put("l", column));
        try {
          replicas
              .of(partition)
              .write(
                  new PendingWrite(batch, false, ColumnSizes.of(batch), false, ledger.add(batch)));
        } catch (RefusedException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
          refused++;
        }
        assertThat(replicas.figures().waitingWriteBytes()).isLessThanOrEqualTo(nodeBytesMax);
      }
    }
    assertThat(refused).isPositive();
    assertThat(replicas.figures().waitingWriteBytes()).isGreaterThanOrEqualTo(nodeBytesMax / 3);
    run();
    assertThat(replicas.figures().waitingWriteBytes()).isZero();
  }
}
