package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.replica.append.SimAppendLogs;
import io.tunnel.server.replica.append.SimStart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes over logs that are trimmed to snapshots, or lose their ends. A node that begins with an
 * empty disk, or has what the log lacks, begins anew while its other partition goes on. In the end
 * all nodes have the rows, the writers and the changes that the logs have.
 */
final class ColdStartSimulationTest {

  private static final int NODES = 2;
  private static final int PARTITIONS = SharedNodes.PARTITIONS;
  private static final int STEPS = 1_500;
  private static final int KEYS = 20;
  private static final ShardConfig CONFIG = new ShardConfig(4_096, 4_096, 8 << 20);
  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(2).putLong(3).array());

  @TempDir private Path directory;
  private SplittableRandom random;
  private SharedNodes nodes;
  private SimAppendLogs logs;
  private SimStart start;
  private boolean isTrimmed;
  private long values;
  private int renewals;

  private void open(long seed) throws IOException {
    random = new SplittableRandom(seed);
    // A trim waits until no loss of the log's end can reach the snapshots: never both in one world.
    isTrimmed = seed % 2 == 0;
    nodes =
        new SharedNodes(
            directory, random, NODES, TestShard.World.of(CONFIG, new NoMeter(), new TestClock()));
    logs = nodes.logs();
    start = new SimStart(logs, random.split());
  }

  private static Map<Long, Long> changes(List<ChangeBatch> batches) {
    Map<Long, Long> changes = new TreeMap<>();
    for (ChangeBatch batch : batches) {
      var row = batch.rows();
      while (row.next()) {
        var column = row.columns();
        assertThat(column.next()).isTrue();
        changes.put(batch.basePosition() + row.index(), column.value().asLong());
      }
    }
    return changes;
  }

  private static String text(ChangeBatch batch, int keyOffset, int keyBytes) {
    return Bytes.copyOf(batch.array(), keyOffset, keyBytes).toString();
  }

  /** The rows that all changes leave, by key. */
  private static Map<String, Long> rows(List<ChangeBatch> batches) {
    Map<String, Long> rows = new TreeMap<>();
    for (ChangeBatch batch : batches) {
      var row = batch.rows();
      while (row.next()) {
        var column = row.columns();
        assertThat(column.next()).isTrue();
        rows.put(text(batch, row.keyOffset(), row.keyBytes()), column.value().asLong());
      }
    }
    return rows;
  }

  private static Map<String, Long> table(SharedNodes.Node node, int partition) {
    Map<String, Long> rows = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      Bytes key = keyBytes("k" + i);
      node.shard()
          .table()
          .get(partition, key)
          .ifPresent(row -> rows.put(key.toString(), row.get(0).getValue().asLong()));
    }
    return rows;
  }

  private Outcomes write(SharedNodes.Node node, int partition, Optional<Numbered> numbered) {
    RowPutChange row =
        new RowPutChange(
            key("k" + random.nextInt(KEYS)),
            List.of(new Column("v", ColumnValue.fromLong(++values))),
            RowExistenceExpectation.IGNORE);
    Outcomes outcome = new Outcomes();
    node.write(
        new JudgedRows.Batch(partition, List.of(row), List.of(), 0)
            .write(numbered, false, outcome));
    return outcome;
  }

  private void act() throws IOException {
    int id = random.nextInt(NODES);
    int partition = 1 + random.nextInt(PARTITIONS);
    SharedNodes.Node node = nodes.get(id);
    nodes.pass(random.nextInt(30));
    switch (random.nextInt(26)) {
      case 0 -> node.want(partition, true);
      case 1 -> node.want(partition, random.nextBoolean());
      case 2, 3 -> node.claim();
      case 4 -> {
        if (random.nextInt(12) == 0) {
          nodes.crash(id);
        }
      }
      case 5, 6, 7, 8 -> write(node, partition, Optional.empty());
      case 9 -> node.look();
      case 10 -> {
        if (random.nextInt(6) == 0) {
          logs.elect(partition, isTrimmed ? 0 : random.nextInt(4));
        }
      }
      case 11 -> {
        while (node.shard().step()) {
          // The table then has exactly what the lane knows.
        }
        if (node.isLeading(partition)) {
          node.replicas().snapshot(partition, node.shard(), start);
        }
      }
      case 12 -> {
        if (isTrimmed && random.nextInt(4) == 0) {
          start.trim(partition);
        }
      }
      case 13 -> {
        if (random.nextInt(12) == 0) {
          renew(id, partition);
        }
      }
      case 14, 15, 16, 17, 18, 19 -> logs.land(random.nextBoolean());
      default -> node.step();
    }
    renewLost();
  }

  /** Begins anew; now and then the log of blocks cannot be read, and the node is killed then. */
  private void renew(int id, int partition) throws IOException {
    renewals++;
    start.isFaulty = random.nextInt(3) == 0;
    boolean hasBegun = begins(id, partition);
    while (!hasBegun) {
      start.isFaulty = random.nextInt(3) == 0;
      if (random.nextBoolean()) {
        nodes.crash(id);
        renewNew(id, partition);
      }
      hasBegun = begins(id, partition);
    }
    start.isFaulty = false;
  }

  private boolean begins(int id, int partition) {
    SharedNodes.Node node = nodes.get(id);
    return node.replicas().renew(partition, node.shard(), node.shard()::step, start);
  }

  /** A start begins each partition anew of which it finds no state. */
  private void renewNew(int id, int but) {
    start.isFaulty = false;
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      if (partition != but && nodes.get(id).replicas().isNew(partition)) {
        assertThat(begins(id, partition)).isTrue();
      }
    }
  }

  private void renewLost() throws IOException {
    for (int id = 0; id < NODES; id++) {
      for (int partition : List.copyOf(nodes.get(id).lost())) {
        renew(id, partition);
      }
    }
  }

  private void calm(int leader) throws IOException {
    for (int i = 0; i < 300; i++) {
      for (int id = 0; id < NODES; id++) {
        for (int partition = 1; partition <= PARTITIONS; partition++) {
          nodes.get(id).want(partition, id == leader);
        }
        nodes.get(id).claim();
        nodes.get(id).look();
      }
      nodes.pass(100);
      if (i == 200) {
        write(nodes.get(leader), 1, Optional.empty());
        write(nodes.get(leader), 2, Optional.empty());
      }
      for (int landed = 0; landed < 3; landed++) {
        logs.land(true);
      }
      nodes.all().forEach(SharedNodes.Node::step);
      renewLost();
    }
    nodes.all().forEach(SharedNodes.Node::catchUp);
  }

  private void requireEqual() throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      List<ChangeBatch> truth = logs.counted(partition);
      assertThat(truth).isNotEmpty();
      for (SharedNodes.Node node : nodes.all()) {
        long first = node.shard().log().firstPosition(partition);
        Map<Long, Long> kept = new TreeMap<>(changes(truth));
        kept.keySet().removeIf(position -> position < first);
        assertThat(changes(TestLogs.batches(node.shard().log(), partition, first))).isEqualTo(kept);
        assertThat(table(node, partition)).isEqualTo(rows(truth));
      }
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void replicas_that_begin_anew_have_what_all_records_together_leave(long seed) throws Exception {
    open(seed);
    for (int i = 0; i < STEPS; i++) {
      act();
    }
    calm(random.nextInt(NODES));
    requireEqual();
    for (int id = 0; id < NODES; id++) {
      renew(id, 1 + random.nextInt(PARTITIONS));
    }
    calm(random.nextInt(NODES));
    requireEqual();
    assertThat(renewals).isGreaterThan(1);
    for (SharedNodes.Node node : nodes.all()) {
      node.shard().close();
    }
  }

  @Test
  void a_replica_that_began_with_a_snapshot_knows_the_answers_to_writers() throws Exception {
    open(2);
    calm(0);
    Optional<Numbered> number = Optional.of(new Numbered(WRITER, 7, 0));
    Outcomes first = write(nodes.get(0), 1, number);
    calm(0);
    long position = first.result().firstPosition();
    for (int i = 0; i < 2; i++) {
      nodes.get(0).replicas().snapshot(1, nodes.get(0).shard(), start);
      calm(0);
    }
    start.trim(1);
    nodes.beginAnew(1);
    nodes.get(1).want(1, false);
    calm(0);
    assertThat(nodes.get(1).shard().log().firstPosition(1)).isGreaterThan(position);
    calm(1);
    Outcomes again = write(nodes.get(1), 1, number);
    calm(1);
    assertThat(again.result().firstPosition()).isEqualTo(position);
    requireEqual();
    // The blocks of the newest snapshot are damaged; the one before is intact.
    start.loseBlock(1);
    renew(1, 1);
    calm(0);
    requireEqual();
  }
}
