package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.replica.append.SimAppendLogs;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes over logs of appends that lose their ends, now and then, and get other leaders more often.
 * Answers that rest on lost records do not hold. A node that has what the log lacks finds out, and
 * begins anew with an empty disk; in the end all nodes have what the logs have.
 */
final class CutLogSimulationTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = SharedNodes.PARTITIONS;
  private static final int STEPS = 2_500;
  private static final ShardConfig CONFIG = new ShardConfig(4_096, 4_096, 8 << 20);

  @TempDir private Path directory;
  private SplittableRandom random;
  private SharedNodes nodes;
  private SimAppendLogs logs;
  private long values;

  /** By partition, how often the log has lost records. */
  private final Map<Integer, Integer> losses = new HashMap<>();

  /** Answers that the log does not bear out, with the node that gave them. */
  private final List<SharedNodes.Node> wrong = new ArrayList<>();

  private final List<AssertionError> failures = new ArrayList<>();
  private int answers;

  /** The outcome of a write of one row. */
  private final class Answer implements PendingWrite.Outcome {
    private final SharedNodes.Node node;
    private final int partition;
    private final long value;

    Answer(SharedNodes.Node node, int partition, long value) {
      this.node = node;
      this.partition = partition;
      this.value = value;
    }

    @Override
    public void written(WriteResult result) {
      answers++;
      if (result.appliedRows() > 0
          && !Long.valueOf(value).equals(counted(partition).get(result.firstPosition()))) {
        wrong.add(node);
        if (!losses.containsKey(partition)) {
          failures.add(new AssertionError("value " + value + " is not in the log"));
        }
      }
    }

    @Override
    public void refused(RefusedException reason) {
      if (reason.getMessage().isEmpty()) {
        failures.add(new AssertionError("a refusal without words"));
      }
    }
  }

  private static Map<Long, Long> rows(List<ChangeBatch> batches) {
    Map<Long, Long> rows = new TreeMap<>();
    for (ChangeBatch batch : batches) {
      var row = batch.rows();
      while (row.next()) {
        var column = row.columns();
        assertThat(column.next()).isTrue();
        rows.put(batch.basePosition() + row.index(), column.value().asLong());
      }
    }
    return rows;
  }

  /** The values of the changes that count, by position. */
  private Map<Long, Long> counted(int partition) {
    return rows(logs.counted(partition));
  }

  private void write(SharedNodes.Node node, int partition) {
    long value = ++values;
    RowPutChange row =
        new RowPutChange(
            key("k" + random.nextInt(20)),
            List.of(new Column("v", ColumnValue.fromLong(value))),
            random.nextInt(3) == 0
                ? RowExistenceExpectation.EXPECT_NOT_EXIST
                : RowExistenceExpectation.IGNORE);
    node.write(
        new JudgedRows.Batch(partition, List.of(row), List.of(), 0)
            .write(Optional.empty(), false, new Answer(node, partition, value)));
  }

  private void elect(int partition) {
    int lost = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0;
    if (lost > 0) {
      losses.merge(partition, 1, Integer::sum);
    }
    logs.elect(partition, lost);
  }

  private void act() throws IOException {
    int id = random.nextInt(NODES);
    int partition = 1 + random.nextInt(PARTITIONS);
    nodes.pass(random.nextInt(30));
    switch (random.nextInt(24)) {
      case 0 -> nodes.get(id).want(partition, true);
      case 1 -> nodes.get(id).want(partition, random.nextBoolean());
      case 2, 3 -> nodes.get(id).claim();
      case 4 -> {
        if (random.nextInt(20) == 0) {
          nodes.crash(id);
        }
      }
      case 5, 6, 7, 8 -> write(nodes.get(id), partition);
      case 9 -> nodes.get(id).look();
      case 10 -> {
        if (random.nextInt(6) == 0) {
          elect(partition);
        }
      }
      case 11, 12, 13, 14, 15, 16 -> logs.land(random.nextBoolean());
      default -> nodes.get(id).step();
    }
    beginAnew();
  }

  private void beginAnew() throws IOException {
    for (int id = 0; id < NODES; id++) {
      if (!nodes.get(id).lost().isEmpty()) {
        nodes.beginAnew(id);
      }
    }
    assertThat(failures).isEmpty();
  }

  private void calm(int leader) throws IOException {
    for (int i = 0; i < 400; i++) {
      for (int id = 0; id < NODES; id++) {
        for (int partition = 1; partition <= PARTITIONS; partition++) {
          nodes.get(id).want(partition, id == leader);
        }
        nodes.get(id).claim();
        nodes.get(id).look();
      }
      nodes.pass(100);
      if (i == 300) {
        write(nodes.get(leader), 1);
        write(nodes.get(leader), 2);
      }
      for (int landed = 0; landed < 3; landed++) {
        logs.land(true);
      }
      nodes.all().forEach(SharedNodes.Node::step);
      beginAnew();
    }
    nodes.all().forEach(SharedNodes.Node::catchUp);
  }

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void no_two_nodes_differ_after_the_logs_have_lost_their_ends(long seed) throws Exception {
    random = new SplittableRandom(seed);
    nodes =
        new SharedNodes(
            directory, random, NODES, TestShard.World.of(CONFIG, new NoMeter(), new TestClock()));
    logs = nodes.logs();
    for (int i = 0; i < STEPS; i++) {
      act();
    }
    calm(random.nextInt(NODES));
    assertThat(nodes.all()).allMatch(SharedNodes.Node::isCaughtUp);
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      Map<Long, Long> truth = counted(partition);
      assertThat(truth).isNotEmpty();
      for (SharedNodes.Node node : nodes.all()) {
        assertThat(rows(TestLogs.batches(node.shard().log(), partition))).isEqualTo(truth);
        assertThat(node.replicas().known(partition))
            .isEqualTo(nodes.get(0).replicas().known(partition));
      }
    }
    assertThat(nodes.all()).as("nodes that answered what is lost").noneMatch(wrong::contains);
    assertThat(answers).isPositive();
    for (SharedNodes.Node node : nodes.all()) {
      node.shard().close();
    }
  }
}
