package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.replica.append.SimAppendLogs;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three nodes, each a shard over a log of appends that they share: real shards, local logs and
 * tables, on the test's thread. Any node claims any partition at any time. Nodes are killed, lose
 * power, their table, or all of their disk, and start again. The truth reads the log of appends by
 * a rule of its own.
 */
final class SharedLogSimulationTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = SharedNodes.PARTITIONS;
  private static final int WRITERS = 4;
  private static final ShardConfig CONFIG = new ShardConfig(4_096, 4_096, 8 << 20);
  private static final int STEPS = 3_000;

  @TempDir private Path directory;
  private SplittableRandom random;
  private SimAppendLogs logs;
  private SharedNodes nodes;
  private JudgedRows truth;
  private final List<Program> programs = new ArrayList<>();

  /** Writes on their way to nodes; each has a connection of its own. */
  private final List<Runnable> mail = new ArrayList<>();

  private final List<AssertionError> failures = new ArrayList<>();
  private long micros = 1_790_000_000_000_000L;
  private int repeated;
  private int doubts;

  /** Writes of all worlds that were in doubt. */
  private static int allDoubts;

  /** Makes a write of a few rows take longer than a slice, now and then. */
  private final class SlowClock implements Shard.Clock {
    private long now = 1_000_000;

    @Override
    public long epochMicros() {
      micros += random.nextInt(2_000);
      return micros;
    }

    @Override
    public long nanos() {
      now += random.nextInt(6) == 0 ? WriteTurns.SLICE_NANOS : 1_000;
      return now;
    }
  }

  /** A writer of one partition. */
  private final class Program {
    private final int partition;
    private final Optional<Bytes> id;
    private int node;
    private long number;
    private long applied;
    private Optional<JudgedRows.Batch> batch = Optional.empty();
    private Optional<WriteResult> answer = Optional.empty();

    Program(int partition, Optional<Bytes> id) {
      this.partition = partition;
      this.id = id;
    }

    void goOn() {
      if (batch.isEmpty()) {
        number++;
        answer = Optional.empty();
        batch = Optional.of(truth.anyBatch(partition));
        post();
      } else if (id.isPresent() && random.nextInt(4) == 0) {
        // Its node may be gone, or the answer lost: the batch comes again, perhaps elsewhere.
        node = random.nextInt(NODES);
        repeated++;
        post();
      } else if (id.isEmpty() && random.nextInt(10) == 0) {
        batch = Optional.empty();
      }
    }

    private void post() {
      int to = node;
      PendingWrite write =
          batch
              .orElseThrow()
              .write(
                  id.map(writer -> new Numbered(writer, number, applied)),
                  false,
                  new Answer(this, batch.get(), number));
      mail.add(() -> nodes.get(to).write(write));
    }

    private void answered(JudgedRows.Batch of, long ofNumber, WriteResult result) {
      truth.require(of, result);
      if (ofNumber == number) {
        answer.ifPresent(first -> assertThat(result).as("the first answer").isEqualTo(first));
        answer = Optional.of(result);
        applied = result.appliedRows() > 0 ? number : applied;
        batch = Optional.empty();
      }
    }

    private void refused(JudgedRows.Batch of, long ofNumber, RefusedException reason) {
      if (ofNumber < number && reason.code() == ErrorCode.WRITER_ENDED) {
        // A copy that came late: a later batch of the writer was answered before.
        return;
      }
      boolean isInDoubt = reason.code() == ErrorCode.OUTCOME_UNKNOWN;
      if (isInDoubt) {
        assertThat(reason).hasMessageContaining("has not settled the writes to partition");
        doubts++;
      } else {
        assertThat(reason.code()).as(reason.getMessage()).isEqualTo(ErrorCode.NOT_LEADER);
      }
      if (id.isEmpty() && !isInDoubt) {
        truth.neverCounts(of);
      }
      if (ofNumber == number && batch.isPresent()) {
        node = random.nextInt(NODES);
        batch = id.isEmpty() ? Optional.empty() : batch;
      }
    }
  }

  private final class Answer implements PendingWrite.Outcome {
    private final Program program;
    private final JudgedRows.Batch batch;
    private final long number;
    private boolean isTold;

    Answer(Program program, JudgedRows.Batch batch, long number) {
      this.program = program;
      this.batch = batch;
      this.number = number;
    }

    private void tell(Runnable told) {
      try {
        assertThat(isTold).as("told once").isFalse();
        isTold = true;
        learn();
        told.run();
      } catch (AssertionError | RuntimeException e) {
        // The shard would take the error for one of its own.
        failures.add(new AssertionError(e));
      }
    }

    @Override
    public void written(WriteResult result) {
      tell(() -> program.answered(batch, number, result));
    }

    @Override
    public void refused(RefusedException reason) {
      tell(() -> program.refused(batch, number, reason));
    }
  }

  /** Takes in what counts in the log of appends. */
  private void learn() {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      logs.counted(partition).forEach(truth::learn);
    }
  }

  private void crash(int id) throws IOException {
    nodes.crash(id);
  }

  private void act() throws IOException {
    int id = random.nextInt(NODES);
    nodes.pass(random.nextInt(30));
    switch (random.nextInt(27)) {
      case 0 -> nodes.get(id).want(1 + random.nextInt(PARTITIONS), true);
      case 1 -> nodes.get(id).want(1 + random.nextInt(PARTITIONS), random.nextBoolean());
      case 2, 3 -> nodes.get(id).claim();
      case 4 -> {
        if (random.nextInt(12) == 0) {
          crash(id);
        }
      }
      case 5, 6, 7 -> programs.get(random.nextInt(programs.size())).goOn();
      case 8, 9 -> {
        if (!mail.isEmpty()) {
          mail.remove(random.nextInt(mail.size())).run();
        }
      }
      case 10, 11, 12, 13, 14, 15 -> logs.land(false);
      case 16 -> nodes.get(id).look();
      case 17 -> {
        if (random.nextInt(8) == 0) {
          logs.elect(1 + random.nextInt(PARTITIONS), 0);
        }
      }
      case 18 -> nodes.get(id).expire();
      default -> nodes.get(id).step();
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }

  /** One node leads all, nothing is lost any more, and each batch of a program is answered. */
  private void calm(int leader) {
    for (int id = 0; id < NODES; id++) {
      for (int partition = 1; partition <= PARTITIONS; partition++) {
        nodes.get(id).want(partition, id == leader);
      }
    }
    for (int i = 0; i < 600; i++) {
      nodes.pass(100);
      nodes.get(leader).claim();
      nodes.get(leader).look();
      logs.land(true);
      nodes.all().forEach(SharedNodes.Node::step);
      for (Program program : programs) {
        if (program.batch.isPresent() && program.id.isPresent() && i % 100 == 50) {
          program.node = leader;
          program.post();
        }
      }
      while (!mail.isEmpty()) {
        mail.remove(0).run();
      }
    }
    assertThat(failures).isEmpty();
    assertThat(logs.isIdle()).isTrue();
    assertThat(nodes.all()).allMatch(SharedNodes.Node::isCaughtUp);
    assertThat(nodes.all()).as("the logs lost nothing").allMatch(node -> node.lost().isEmpty());
    assertThat(programs)
        .filteredOn(program -> program.id.isPresent())
        .as("the batches of writers that number")
        .allMatch(program -> program.batch.isEmpty());
  }

  /** A change, with which each node stores what it knows of writers. */
  private void writeLast(int leader) {
    Program last = new Program(1, Optional.empty());
    last.node = leader;
    learn();
    for (long before = truth.learned(1); truth.learned(1) == before; learn()) {
      last.goOn();
      calm(leader);
    }
  }

  /**
   * Each node has the changes that count, byte for byte, the rows that they leave, and what is
   * known of writers.
   */
  private void requireSame() throws IOException {
    learn();
    List<Map<Bytes, Bytes>> known = new ArrayList<>();
    for (SharedNodes.Node node : nodes.all()) {
      for (int partition = 1; partition <= PARTITIONS; partition++) {
        assertThat(TestLogs.rows(TestLogs.batches(node.shard().log(), partition)))
            .isEqualTo((int) truth.learned(partition));
        boolean[] wasRead = {false};
        int of = partition;
        node.shard()
            .execute(
                of,
                () -> {
                  wasRead[0] = true;
                  for (int id = 0; id < JudgedRows.KEYS; id++) {
                    assertThat(
                            node.shard()
                                .table()
                                .get(of, keyBytes("k" + id))
                                .map(columns -> columns.get(0).getValue().asLong())
                                .orElse(0L))
                        .as("k%d of partition %d", id, of)
                        .isEqualTo(truth.now(of, "k" + id));
                  }
                });
        node.catchUp();
        assertThat(wasRead[0]).isTrue();
      }
      Map<Bytes, Bytes> writers = new TreeMap<>(Comparator.comparing(Bytes::toString));
      node.shard().store().writers(writers::put);
      known.add(writers);
    }
    assertThat(known).allMatch(known.get(0)::equals);
  }

  @AfterAll
  static void some_writes_were_in_doubt() {
    assertThat(allDoubts).isPositive();
  }

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void all_nodes_have_what_counts_and_answers_say_what_counts(long seed) throws Exception {
    random = new SplittableRandom(seed);
    nodes =
        new SharedNodes(
            directory, random, NODES, TestShard.World.of(CONFIG, new NoMeter(), new SlowClock()));
    logs = nodes.logs();
    truth = new JudgedRows(random);
    for (int writer = 0; writer < WRITERS; writer++) {
      for (int partition = 1; partition <= PARTITIONS; partition++) {
        byte[] id = ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(writer).array();
        programs.add(
            new Program(partition, writer < 3 ? Optional.of(Bytes.copyOf(id)) : Optional.empty()));
      }
    }
    for (int i = 0; i < STEPS; i++) {
      act();
    }
    int leader = random.nextInt(NODES);
    calm(leader);
    writeLast(leader);
    requireSame();
    // Whoever leads next knows what writers were answered.
    for (int i = 0; i < 40; i++) {
      programs.forEach(Program::goOn);
      nodes.all().forEach(SharedNodes.Node::step);
      logs.land(true);
    }
    leader = random.nextInt(NODES);
    calm(leader);
    writeLast(leader);
    requireSame();
    assertThat(truth.learned(1)).isPositive();
    assertThat(repeated).isPositive();
    allDoubts += doubts;
    for (SharedNodes.Node node : nodes.all()) {
      node.shard().close();
    }
  }
}
