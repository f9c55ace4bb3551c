package io.tunnel.it.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntPredicate;

/**
 * Counters that one writer adds to. An increment that is lost, or applied twice, makes a counter
 * differ from the sum of what was acknowledged.
 */
public final class Counters {

  private static final int COUNTERS_PER_PARTITION = 16;

  private final TestTable table;
  private final int counters;
  private final AtomicLongArray sums;
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong others = new AtomicLong();

  /** By counter and position, the result that an increment returned. */
  private final Map<String, Long> returned = new ConcurrentHashMap<>();

  private volatile String firstOther = "";
  private boolean isReturning;

  public Counters(String name, int partitions) {
    table = new TestTable(name, partitions);
    counters = partitions * COUNTERS_PER_PARTITION;
    sums = new AtomicLongArray(counters);
  }

  public TestTable table() {
    return table;
  }

  /** Asks each increment to return its result. The server must have level 2. */
  public Counters returning() {
    isReturning = true;
    return this;
  }

  /** Increments that were acknowledged so far. */
  public long applied() {
    return applied.get();
  }

  private PrimaryKey key(int counter) {
    long hash = (long) (counter % table.partitions()) * TestTable.HASHES_PER_PARTITION;
    return TestTable.key(hash, Integer.toString(counter));
  }

  /**
   * Adds to counters until {@code goesOn} says no of the number of an increment. Returns how many
   * increments there were.
   */
  public int write(ClientConfig config, TableWriterConfig settings, IntPredicate goesOn) {
    SplittableRandom random = new SplittableRandom(33);
    int increments = 0;
    try (TableClient client = TableClient.connect(config);
        TableWriter writer = client.openWriter(table.name(), settings)) {
      for (; goesOn.test(increments); increments++) {
        int counter = random.nextInt(counters);
        long delta = random.nextInt(-3, 10);
        RowChange row =
            new RowUpdateChange(key(counter), List.of(new ColumnUpdate.Increment("n", delta)));
        if (isReturning) {
          row = row.returning(Returning.columns("n"));
        }
        writer.add(row, (written, result) -> note(counter, delta, result));
      }
    }
    return increments;
  }

  private void note(int counter, long delta, RowResult result) {
    if (result.outcome() == Outcome.APPLIED) {
      sums.addAndGet(counter, delta);
      result
          .returned()
          .row()
          .ifPresent(
              row ->
                  returned.put(
                      counter + " at " + result.position(), row.value("n").orElseThrow().asLong()));
      applied.incrementAndGet();
    } else if (others.incrementAndGet() == 1) {
      firstOther = result.toString();
    }
  }

  /** Increments that returned their result. */
  public int returned() {
    return returned.size();
  }

  /** Every increment was acknowledged, and is in the rows and in the stream once. */
  public void requireSums(
      int increments, TableClient tables, TunnelClient tunnels, String tunnelId) {
    assertThat(others.get()).as("rows that are not applied; the first is %s", firstOther).isZero();
    assertThat(applied.get()).isEqualTo(increments);
    List<Long> acknowledged = new ArrayList<>();
    List<Long> rows = new ArrayList<>();
    for (int counter = 0; counter < counters; counter++) {
      acknowledged.add(sums.get(counter));
      rows.add(
          tables
              .getRow(table.name(), key(counter))
              .orElseThrow()
              .value("n")
              .orElseThrow()
              .asLong());
    }
    assertThat(rows).as("rows").isEqualTo(acknowledged);

    Adder adder = new Adder(counters);
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(adder));
    worker.connectAndWorking();
    Poll.until("all changes are processed", () -> adder.changes.get() >= increments);
    worker.shutdown();
    assertThat(adder.changes).hasValue(increments);
    List<Long> added = new ArrayList<>();
    List<Long> results = new ArrayList<>();
    for (int counter = 0; counter < counters; counter++) {
      added.add(adder.added.get(counter));
      results.add(adder.results.get(counter));
    }
    assertThat(added).as("sums of deltas").isEqualTo(acknowledged);
    assertThat(results).as("results in the stream").isEqualTo(acknowledged);
    returned.forEach(
        (at, result) ->
            assertThat(adder.byPosition.get(at)).as("counter %s", at).isEqualTo(result));
  }

  /**
   * Adds up what the changes say was added, and keeps the newest result. A worker delivers at least
   * once, so a change at a position that was processed does not count.
   */
  private static final class Adder implements IChannelProcessor {
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLongArray added;
    private final AtomicLongArray results;
    private final AtomicLongArray positions;

    /** By counter and position, the result of the increment. */
    private final Map<String, Long> byPosition = new ConcurrentHashMap<>();

    Adder(int counters) {
      added = new AtomicLongArray(counters);
      results = new AtomicLongArray(counters);
      positions = new AtomicLongArray(counters);
    }

    @Override
    public void process(ProcessRecordsInput input) {
      for (StreamRecord change : input.getRecords()) {
        String id = change.getPrimaryKey().getPrimaryKeyColumn("id").getValue().asString();
        int counter = Integer.parseInt(id);
        long position = change.position() + 1;
        if (positions.getAndUpdate(counter, last -> Math.max(last, position)) >= position) {
          continue;
        }
        added.addAndGet(counter, change.delta("n").orElseThrow());
        results.set(counter, change.value("n").orElseThrow().asLong());
        byPosition.put(
            counter + " at " + change.position(), change.value("n").orElseThrow().asLong());
        changes.incrementAndGet();
      }
    }

    @Override
    public void shutdown() {}
  }
}
