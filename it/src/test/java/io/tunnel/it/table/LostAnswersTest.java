package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Returning;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.FrameProxy;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Counters behind a proxy that swallows one answer in twenty, with its connection: each counter is
 * the sum of what was acknowledged, and of the deltas in the stream. Each increment returns its own
 * result, also where the answer that the client has is that to a repetition.
 */
class LostAnswersTest {

  private static final int PARTITIONS = 4;
  private static final int COUNTERS_PER_PARTITION = 16;
  private static final int COUNTERS = PARTITIONS * COUNTERS_PER_PARTITION;
  private static final int SWALLOWED_ONE_IN = 20;

  @RegisterExtension final Stage stage = new Stage();

  /** Swallows answers to writes. */
  private static final class Swallower implements FrameProxy.Watcher {
    private int answers;

    @Override
    public synchronized boolean passes(boolean isFromClient, Frame frame) {
      boolean isAnswer = frame.operation() == Operation.WRITE && frame.kind() != FrameKind.REQUEST;
      return !isAnswer || ++answers % SWALLOWED_ONE_IN != 0;
    }

    @Override
    public void lost(Frame frame) {
      // The client knows nothing of the frame's fate, as of that of a swallowed answer.
    }

    synchronized int swallowed() {
      return answers / SWALLOWED_ONE_IN;
    }
  }

  /** Adds up what the changes say was added, and keeps the newest result. */
  private static final class Adder implements IChannelProcessor {
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLongArray added = new AtomicLongArray(COUNTERS);
    private final AtomicLongArray results = new AtomicLongArray(COUNTERS);

    /** By counter and position, the result of the increment. */
    private final Map<String, Long> byPosition = new ConcurrentHashMap<>();

    @Override
    public void process(ProcessRecordsInput input) {
      for (StreamRecord change : input.getRecords()) {
        String id = change.getPrimaryKey().getPrimaryKeyColumn("id").getValue().asString();
        int counter = Integer.parseInt(id);
        added.addAndGet(counter, change.delta("n").orElseThrow());
        results.set(counter, change.value("n").asLong());
        byPosition.put(id + " at " + change.position(), change.value("n").asLong());
        changes.incrementAndGet();
      }
    }

    @Override
    public void shutdown() {}
  }

  private static PrimaryKey key(int counter) {
    long hash = (long) (counter % PARTITIONS) * TestTable.HASHES_PER_PARTITION;
    return TestTable.key(hash, Integer.toString(counter));
  }

  @Test
  void a_counter_is_the_sum_of_what_was_acknowledged() {
    requireSums(4_000);
  }

  @Test
  @Tag("proof-service")
  void a_counter_is_the_sum_of_what_was_acknowledged_of_a_hundred_thousand() {
    requireSums(100_000);
  }

  private void requireSums(int increments) {
    ServerProcess server = stage.server();
    TestTable table = new TestTable("counters", PARTITIONS);
    TableClient direct = stage.tables(server);
    var unused = table.create(direct);
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = table.createTunnel(tunnels, "sums");
    Swallower swallower = new Swallower();
    FrameProxy proxy = stage.closing(new FrameProxy(server.port(), swallower));
    Map<String, Long> returned = new ConcurrentHashMap<>();
    List<Long> acknowledged = write(proxy.endpoint(), increments, returned);
    assertThat(swallower.swallowed()).isGreaterThan(increments / 5_000);

    Adder adder = new Adder();
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(adder));
    worker.connectAndWorking();
    Poll.until("all changes are processed", () -> adder.changes.get() >= increments);
    worker.shutdown();
    assertThat(adder.changes).hasValue(increments);
    List<Long> added = new ArrayList<>();
    List<Long> results = new ArrayList<>();
    List<Long> rows = new ArrayList<>();
    for (int counter = 0; counter < COUNTERS; counter++) {
      added.add(adder.added.get(counter));
      results.add(adder.results.get(counter));
      rows.add(direct.getRow("counters", key(counter)).orElseThrow().value("n").asLong());
    }
    assertThat(added).as("sums of deltas").isEqualTo(acknowledged);
    assertThat(results).as("results in the stream").isEqualTo(acknowledged);
    assertThat(rows).as("rows").isEqualTo(acknowledged);
    assertThat(returned.equals(adder.byPosition)).as("what each increment returned").isTrue();
  }

  /** By counter, the sum of all acknowledged increments; every increment is acknowledged. */
  private static List<Long> write(String endpoint, int increments, Map<String, Long> returned) {
    AtomicLongArray sums = new AtomicLongArray(COUNTERS);
    TreeMap<Outcome, Long> outcomes = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(33);
    TableWriterConfig small = TableWriterConfig.DEFAULTS.withBatchBytesMax(1_500);
    try (TableClient client = TableClient.connect(ClientConfig.of(endpoint));
        TableWriter writer = client.openWriter("counters", small.withBufferBytesMax(20_000))) {
      for (int i = 0; i < increments; i++) {
        int counter = random.nextInt(COUNTERS);
        long delta = random.nextInt(-3, 10);
        RowUpdateChange row =
            new RowUpdateChange(key(counter), List.of(new ColumnUpdate.Increment("n", delta)))
                .returning(Returning.columns("n"));
        writer.add(
            row,
            (written, result) -> {
              note(outcomes, result);
              if (result.outcome() == Outcome.APPLIED) {
                sums.addAndGet(counter, delta);
                long now = result.returned().row().orElseThrow().value("n").asLong();
                returned.put(counter + " at " + result.position(), now);
              }
            });
      }
    }
    synchronized (outcomes) {
      assertThat(outcomes).containsOnlyKeys(Outcome.APPLIED);
    }
    List<Long> all = new ArrayList<>();
    for (int counter = 0; counter < COUNTERS; counter++) {
      all.add(sums.get(counter));
    }
    return all;
  }

  private static void note(Map<Outcome, Long> outcomes, RowResult result) {
    synchronized (outcomes) {
      outcomes.merge(result.outcome(), 1L, Long::sum);
    }
  }
}
