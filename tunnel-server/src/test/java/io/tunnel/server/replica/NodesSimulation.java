package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.RecordValue;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaCore.Verdict;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Three nodes on one log, in any order of steps: leaders that are replaced and do not know it,
 * appends that fail and land later, nodes that are cut off, killed, or without room, and
 * compaction.
 */
final class NodesSimulation {

  private static final int[] PARTITIONS = {1, 2};

  /** How often a leader stops making a group behind a row. */
  private static final int SLICE_ENDS_PERCENT = 8;

  static final long FOREVER = Long.MAX_VALUE;

  private final Random random;
  private final FakeSharedLog log;
  private final AtomicLong nanos = new AtomicLong(1);
  private final WriteLedger ledger = new WriteLedger();
  final RepeatingWriters writers;
  final List<SimNode> nodes = new ArrayList<>();
  private final SimNode.Kept kept;
  private int texts;

  /** How often a channel was told that something is lost. */
  int lost;

  /** Whether the log loses its end now and then; only numbered batches are written then. */
  boolean losesEnds;

  NodesSimulation(long seed, int failuresPercent, SimNode.Kept kept) throws IOException {
    this.random = new Random(seed);
    this.log = new FakeSharedLog(random);
    this.log.failuresPercent = failuresPercent;
    this.writers = new RepeatingWriters(new Random(~seed), () -> log.nowMicros);
    this.kept = kept;
    for (String name : List.of("a", "b", "c")) {
      SimNode node = new SimNode(name, log, nanos, kept, random);
      node.pausePercent = SLICE_ENDS_PERCENT;
      nodes.add(node);
    }
  }

  void run() throws IOException {
    for (SimNode node : nodes) {
      for (int partition : PARTITIONS) {
        node.replicas.follow(partition);
      }
    }
    for (int step = 0; step < 3_000; step++) {
      nanos.addAndGet(random.nextInt(2_000_000));
      if (kept.deletionMicros() != FOREVER && random.nextInt(100) == 0) {
        log.nowMicros += random.nextInt(300_000);
        nodes.forEach(node -> node.replicas.lookAtEnds());
        compact();
      }
      if (losesEnds && random.nextInt(150) == 0) {
        loseEnd();
      }
      step(nodes.get(random.nextInt(nodes.size())));
    }
    settle();
    requireAgreement();
    if (kept.localBytesMax() > 0) {
      for (SimNode node : nodes) {
        requireHistory(node);
      }
    }
    requireFreshReplicas();
  }

  private void step(SimNode node) throws IOException {
    int partition = PARTITIONS[random.nextInt(PARTITIONS.length)];
    switch (random.nextInt(200)) {
      case 0, 1, 2 -> node.replicas.lead(partition);
      case 3 -> node.replicas.follow(partition);
      case 4 -> node.restart();
      case 5 -> node.log.isCut = true;
      case 6, 7, 8 -> node.log.isCut = false;
      case 9 -> compact();
      case 10 -> leave(node, partition);
      case 11 -> node.replicas.retain(log.nowMicros);
      case 12 -> fill(node);
      case 13, 14, 15, 16 -> empty(node);
      default -> {
        switch (random.nextInt(4)) {
          case 0 -> {
            if (!losesEnds) {
              write(node, partition);
            }
            writers.write(node, partition);
          }
          case 1 -> node.step();
          default -> log.step();
        }
      }
    }
  }

  /** A broker that lacks the end of a log leads it, while no append is under way. All notice. */
  private void loseEnd() throws IOException {
    log.failAll();
    for (int partition : PARTITIONS) {
      FakeSharedLog.Partition lacking = log.partition(partition);
      long from = Math.max(0, lacking.end() - random.nextInt(12));
      lacking.truncate(from);
    }
    writers.lost();
    for (SimNode node : nodes) {
      node.log.isCut = false;
      empty(node);
      for (int i = 0; i < 4; i++) {
        var unused = node.log.stepTail(1_000);
        node.step();
      }
    }
  }

  private void fill(SimNode node) {
    node.rows.isFull = random.nextBoolean();
    node.disk.room(random.nextInt(3) * SimNode.FREE_BYTES_MIN / 3);
  }

  private static void empty(SimNode node) {
    node.rows.isFull = false;
    node.disk.room(Long.MAX_VALUE);
  }

  private void leave(SimNode node, int partition) {
    node.replicas.leave(partition);
    node.replicas.follow(partition);
  }

  private void compact() {
    if (kept.retentionMicros() != FOREVER) {
      log.compact(kept.retentionMicros(), kept.deletionMicros());
    }
  }

  private void write(SimNode node, int partition) {
    List<RowChange> rows = new ArrayList<>();
    boolean isConditional = random.nextInt(3) == 0;
    for (int left = 1 + random.nextInt(6); left > 0; left--) {
      rows.add(row(isConditional));
    }
    ChangeBatch batch = TestRows.batch(partition, rows);
    WriteLedger.Written written = ledger.add(batch);
    try {
      node.replicas
          .of(partition)
          .write(new PendingWrite(batch, isConditional, ColumnSizes.of(batch), true, written));
    } catch (RefusedException e) {
      assertThat(e.retriable()).isTrue();
      written.refused(e);
    }
  }

  private RowChange row(boolean isConditional) {
    String key = "k" + random.nextInt(12);
    ColumnValue text = ColumnValue.fromString("text " + texts++);
    int kind = random.nextInt(isConditional ? 4 : 2);
    if (kind == 0) {
      return new RowDeleteChange(TestRows.key(key));
    }
    if (kind == 1) {
      return TestRows.put(key, new Column("text", text), new Column("c" + texts % 3, text));
    }
    if (kind == 2) {
      return new RowPutChange(
          TestRows.key(key),
          List.of(new Column("text", text)),
          random.nextBoolean()
              ? RowExistenceExpectation.EXPECT_EXIST
              : RowExistenceExpectation.EXPECT_NOT_EXIST);
    }
    return new RowUpdateChange(
        TestRows.key(key),
        List.of(
            new ColumnUpdate.Put("text", text),
            random.nextBoolean()
                ? new ColumnUpdate.Put("c" + random.nextInt(3), text)
                : new ColumnUpdate.Delete("c" + random.nextInt(3))));
  }

  /** Everything works again, and one node leads. */
  private void settle() {
    log.failuresPercent = 0;
    for (SimNode node : nodes) {
      node.log.isCut = false;
      empty(node);
      for (int partition : PARTITIONS) {
        node.replicas.follow(partition);
      }
    }
    drain();
    for (int partition : PARTITIONS) {
      nodes.get(0).replicas.lead(partition);
    }
    drain();
    for (int partition : PARTITIONS) {
      assertThat(nodes.get(0).replicas.of(partition)).isNotNull();
      write(nodes.get(0), partition);
    }
    drain();
    // A batch that was applied in part has another part, which may end with other groups.
    for (int round = 0; round < 8; round++) {
      for (int partition : PARTITIONS) {
        writers.repeatAll(nodes.get(0), partition);
      }
      drain();
    }
  }

  private void drain() {
    for (int quiet = 0; quiet < 20; quiet++) {
      nanos.addAndGet(2_000_000_000L);
      log.nowMicros += 10;
      for (SimNode node : nodes) {
        if (node.step()) {
          quiet = 0;
        }
      }
      if (log.settle()) {
        quiet = 0;
      }
    }
  }

  private void requireAgreement() throws IOException {
    for (int partition : PARTITIONS) {
      List<Stored> valid = valid(partition);
      ledger.requireTrue(partition, valid);
      writers.requireTrue(partition, valid);
      SortedMap<Bytes, SortedMap<String, Bytes>> rows = rows(partition, valid);
      for (SimNode node : nodes) {
        String name = "node " + node.name + ", partition " + partition;
        assertThat(node.rows.rows(partition)).as(name).isEqualTo(rows);
        if (!losesEnds) {
          // A local log keeps what the shared one has lost.
          assertThat(node.replicas.settled(partition))
              .as(name)
              .isEqualTo(log.partition(partition).end() - 1);
          requireChanges(name, node, partition, valid);
        }
      }
    }
  }

  /** As a leader, it delivers all that is not compacted, from wherever a channel is. */
  private void requireHistory(SimNode node) throws IOException {
    node.replicas.retain(log.nowMicros);
    for (int partition : PARTITIONS) {
      nodes.forEach(each -> each.replicas.follow(partition));
      drain();
      node.replicas.lead(partition);
      drain();
      List<Stored> valid = valid(partition);
      for (int i = 0; i < 2; i++) {
        long from = i == 0 ? 0 : random.nextLong(log.partition(partition).end());
        List<Long> found = positions(node.delivered(partition, from), from);
        List<Long> expected =
            valid.stream().map(Stored::offset).filter(offset -> offset >= from).toList();
        String name = "node " + node.name + ", partition " + partition + " from " + from;
        lost += node.isLost ? 1 : 0;
        assertThat(found)
            .as(name)
            .isEqualTo(node.isLost ? expected.subList(0, found.size()) : expected);
        node.isLost = false;
      }
    }
  }

  private static List<Long> positions(List<ChangeBatch> batches, long from) {
    List<Long> found = new ArrayList<>();
    long micros = 0;
    for (ChangeBatch batch : batches) {
      assertThat(batch.commitMicros()).isGreaterThanOrEqualTo(micros);
      micros = batch.commitMicros();
      for (long at = batch.basePosition(); at <= batch.lastPosition(); at++) {
        if (at >= from) {
          found.add(at);
        }
      }
    }
    return found;
  }

  private void requireChanges(String name, SimNode node, int partition, List<Stored> valid)
      throws IOException {
    long first = node.replicas.firstPosition(partition);
    if (kept.retentionMicros() == FOREVER && kept.localBytesMax() == 0) {
      assertThat(first).as(name).isLessThanOrEqualTo(1);
    }
    List<String> expected = new ArrayList<>();
    for (Stored record : valid) {
      if (record.offset() >= first) {
        expected.add(record.offset() + " " + record.entry().key());
      }
    }
    List<String> found = new ArrayList<>();
    long micros = 0;
    for (ChangeBatch batch : node.changes(partition)) {
      assertThat(batch.commitMicros()).isGreaterThanOrEqualTo(micros);
      micros = batch.commitMicros();
      RowCursor row = batch.rows();
      while (row.next()) {
        Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
        long position = batch.basePosition() + row.index();
        if (position >= first) {
          found.add(position + " " + key);
        }
      }
    }
    assertThat(found).as(name).isEqualTo(expected);
  }

  /** The counting changes, as a reader of the whole log says. */
  private List<Stored> valid(int partition) {
    ReplicaCore reader = new ReplicaCore(ReplicaState.EMPTY);
    List<Stored> valid = new ArrayList<>();
    for (Stored record : log.partition(partition).everything) {
      if (reader.read(record) == Verdict.CHANGE) {
        valid.add(record);
      }
    }
    assertThat(reader.unrepaired()).isEmpty();
    return valid;
  }

  private static SortedMap<Bytes, SortedMap<String, Bytes>> rows(int partition, List<Stored> valid)
      throws IOException {
    FakeReplicaRows rows = new FakeReplicaRows(new Random(1));
    RunCore runs = new RunCore(partition, 1 << 20);
    for (Stored record : valid) {
      Bytes key = record.entry().key();
      Optional<RecordValue> value =
          record.entry().value().map(bytes -> RecordCodec.decode(key, bytes));
      runs.add(
          record.offset(), record.timeMicros(), false, new RunCore.Row(key, value, Bytes.EMPTY));
    }
    for (RunCore.Run run : runs.take()) {
      rows.fold(List.of(run.rows()));
    }
    return rows.rows(partition);
  }

  /** An empty node reads the records that are left. */
  private void requireFreshReplicas() throws IOException {
    log.nowMicros += 2_000_000;
    compact();
    nodes.add(new SimNode("fresh", log, nanos, kept, random));
    for (int partition : PARTITIONS) {
      nodes.get(3).replicas.follow(partition);
    }
    drain();
    for (int partition : PARTITIONS) {
      assertThat(nodes.get(3).rows.rows(partition))
          .as("partition %d", partition)
          .isEqualTo(nodes.get(0).rows.rows(partition));
    }
    assertThat(ledger.acknowledged()).isPositive();
  }
}
