package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Durability;
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
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.TableSnapshot;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A shard whose rows expire: real log, table and sweep, on the test's thread and clock, beside a
 * model that knows when each row was written last. What must hold is said in ADR 31: a row expires
 * once, in order with the writes of its key, and everybody finds what the model has.
 */
final class ExpirySimulationTest {

  private static final int PARTITION = 1;
  private static final int KEYS = 8;
  private static final List<RowExistenceExpectation> EXPECTATIONS =
      List.of(RowExistenceExpectation.values());
  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(7).array());
  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);

  @TempDir private Path directory;
  private CrashDisk disk = new CrashDisk();
  private int stores;
  private Shard shard;
  private ExpirySweep sweep;
  private SplittableRandom random;
  private boolean mayGoBack;
  private long ttlMs = 2_000;
  private long expiredMeter;

  /** What the log leaves of each key; a row that has expired stays until its DELETE. */
  private final TreeMap<String, Stored> rows = new TreeMap<>();

  /** The last numbered batch, and its answer; null where a repetition is not recognised. */
  private List<RowChange> lastBatch = List.of();

  private WriteResult lastResult;
  private long lastNumber;
  private long lastApplied;

  private long learned;
  private long expiredInLog;
  private long nanos;

  private final SetClock clock = new SetClock();

  private final class SetClock implements Shard.Clock {
    private long micros = 1_000_000_000_000L;

    @Override
    public long epochMicros() {
      return micros;
    }

    @Override
    public long nanos() {
      nanos += 1_000;
      return nanos;
    }
  }

  private final class Counting extends NoMeter {
    @Override
    public void expired(int shardId, long rowCount) {
      expiredMeter += rowCount;
    }
  }

  private record Stored(Map<String, Long> columns, long commitMicros) {}

  private void open(boolean hasTable) throws IOException {
    LocalLog log = TestLogs.open(disk, 0);
    stores += hasTable ? 0 : 1;
    Expiries lives = new Expiries(partition -> Expiry.ofMillis(ttlMs));
    TableStore table =
        TableStore.openUncompacted(directory.resolve("rows-" + stores), TABLE, log::sync, lives);
    Refold refold = new Refold(table, partition -> true, partition -> Optional.empty());
    new CatchUp(log, table, refold).fold();
    StoredRows stored = new StoredRows(table, refold.seen(), partition -> true, lives);
    shard = new Shard(0, CONFIG, new LocalShardLog(log), stored, new Counting(), clock);
    sweep = new ExpirySweep(0, shard, 4_000);
  }

  private boolean isOver(Stored row) {
    return clock.micros - row.commitMicros() >= ttlMs * 1_000;
  }

  private Optional<Stored> alive(String key) {
    return Optional.ofNullable(rows.get(key)).filter(row -> !isOver(row));
  }

  /** Does one thing, and takes in what the log has got. */
  private boolean step() throws IOException {
    boolean did = shard.step();
    learn();
    return did;
  }

  private void drain() throws IOException {
    while (step()) {
      // Until nothing waits.
    }
  }

  private void learn() throws IOException {
    if (shard.log().committed(PARTITION) == learned) {
      return;
    }
    for (ChangeBatch batch : TestLogs.batches(shard.log(), PARTITION, learned + 1)) {
      for (RowCursor row = batch.rows(); row.next(); ) {
        long position = batch.basePosition() + row.index();
        if (position > learned) {
          learned = position;
          learn(row, batch.commitMicros());
        }
      }
    }
  }

  private void learn(RowCursor row, long commitMicros) {
    String key = nameOf(row);
    Stored before = rows.get(key);
    if (row.isExpiry()) {
      assertThat(row.kind()).isEqualTo(ChangeKind.DELETE);
      assertThat(before).as("%s expires, and there is a row", key).isNotNull();
      assertThat(isOver(before)).as("%s expires, and its time is over", key).isTrue();
      expiredInLog++;
    } else if (before != null) {
      assertThat(isOver(before)).as("a write finds %s, which has expired", key).isFalse();
    }
    if (row.kind() == ChangeKind.DELETE) {
      rows.remove(key);
      return;
    }
    Map<String, Long> columns =
        new TreeMap<>(row.kind() == ChangeKind.PUT || before == null ? Map.of() : before.columns());
    for (ColumnCursor column = row.columns(); column.next(); ) {
      columns.put(row.batch().name(column.nameIndex()), column.value().asLong());
    }
    rows.put(key, new Stored(columns, commitMicros));
  }

  private static String nameOf(RowCursor row) {
    Bytes encoded = Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
    for (int id = 0; id < 400; id++) {
      if (keyBytes("k" + id).equals(encoded)) {
        return "k" + id;
      }
    }
    throw new AssertionError("a change of an unknown key");
  }

  private String anyKey() {
    return "k" + random.nextInt(KEYS);
  }

  private RowChange change(String key, RowExistenceExpectation expected) {
    ColumnValue value = ColumnValue.fromLong(random.nextInt(100));
    String name = "c" + random.nextInt(3);
    return switch (random.nextInt(4)) {
      case 0 -> new RowPutChange(key(key), List.of(new Column(name, value)), expected);
      case 1 -> new RowDeleteChange(key(key), expected);
      default ->
          new RowUpdateChange(key(key), List.of(new ColumnUpdate.Put(name, value)), expected);
    };
  }

  private Outcomes post(List<RowChange> changes) {
    Outcomes outcome = new Outcomes();
    shard.write(Outcomes.write(batch(PARTITION, changes), true, outcome));
    return outcome;
  }

  /** A write whose outcome the model knows. */
  private void judged() throws Exception {
    String key = anyKey();
    Optional<Stored> before = alive(key);
    int dice = random.nextInt(4);
    if (dice == 0) {
      String column = "c" + random.nextInt(3);
      RowChange add =
          new RowUpdateChange(key(key), List.of(new ColumnUpdate.Increment(column, 1_000)));
      WriteResult result = run(add);
      assertThat(result.appliedRows()).isEqualTo(1);
      long had = before.map(row -> row.columns().getOrDefault(column, 0L)).orElse(0L);
      assertThat(rows.get(key).columns())
          .as("%s counts on", key)
          .containsEntry(column, had + 1_000);
      assertThat(rows.get(key).columns())
          .hasSize(
              before.map(row -> row.columns().size()).orElse(0)
                  + (before.isPresent() && before.get().columns().containsKey(column) ? 0 : 1));
      return;
    }
    RowExistenceExpectation expected =
        dice == 1
            ? RowExistenceExpectation.EXPECT_EXIST
            : dice == 2 ? RowExistenceExpectation.EXPECT_NOT_EXIST : RowExistenceExpectation.IGNORE;
    boolean holds =
        expected == RowExistenceExpectation.IGNORE
            || before.isPresent() == (expected == RowExistenceExpectation.EXPECT_EXIST);
    WriteResult result = run(change(key, expected));
    assertThat(result.appliedRows())
        .as("%s of %s, %s", expected, key, before)
        .isEqualTo(holds ? 1 : 0);
  }

  private WriteResult run(RowChange change) throws Exception {
    Outcomes outcome = post(List.of(change));
    drain();
    return outcome.result();
  }

  /**
   * A numbered atomic batch over rows some of which have expired, and a write that waits behind the
   * batch: if a row is refused, the log gets no DELETE of the others either.
   */
  private void atomic() throws Exception {
    List<RowChange> changes = new ArrayList<>();
    Map<String, Boolean> exists = new TreeMap<>();
    boolean holds = true;
    for (int row = 0; row < 4; row++) {
      String key = anyKey();
      RowExistenceExpectation expected = EXPECTATIONS.get(random.nextInt(3));
      RowChange change = change(key, expected);
      boolean isThere = exists.getOrDefault(key, alive(key).isPresent());
      holds &=
          expected == RowExistenceExpectation.IGNORE
              || isThere == (expected == RowExistenceExpectation.EXPECT_EXIST);
      exists.put(key, !(change instanceof RowDeleteChange));
      changes.add(change);
    }
    TreeMap<String, Stored> before = new TreeMap<>(rows);
    lastBatch = changes;
    lastNumber++;
    Outcomes outcome = postLast();
    boolean isAlone = random.nextBoolean();
    if (!isAlone) {
      post(List.of(change(anyKey(), RowExistenceExpectation.IGNORE)));
    }
    drain();
    lastResult = outcome.result();
    assertThat(lastResult.appliedRows()).as("%s over %s", changes, before).isEqualTo(holds ? 4 : 0);
    if (isAlone && !holds) {
      assertThat(rows).as("a batch is refused whole").isEqualTo(before);
    }
    lastApplied = holds ? lastNumber : lastApplied;
  }

  private Outcomes postLast() {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.setAttributes(Attributes.atomic(Bytes.EMPTY));
    lastBatch.forEach(change -> assertThat(builder.add(change)).isTrue());
    byte[] array = builder.build(PARTITION);
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    Outcomes outcome = new Outcomes();
    shard.write(
        new PendingWrite(
            batch,
            new PendingWrite.Judging(
                ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch)),
            Optional.of(new Numbered(WRITER, lastNumber, lastApplied)),
            true,
            outcome));
    return outcome;
  }

  /** The last batch comes again, after rows that it judged have expired: nothing is judged. */
  private void repeat() throws Exception {
    TreeMap<String, Stored> before = new TreeMap<>(rows);
    Outcomes outcome = postLast();
    drain();
    assertThat(outcome.result()).as("the first answer").isEqualTo(lastResult);
    assertThat(rows).isEqualTo(before);
  }

  /** Writes and a sweep together: the sweep has looked when a write comes that renews a row. */
  private void together() throws IOException {
    for (int i = 0; i < 6; i++) {
      if (random.nextBoolean()) {
        tick();
      } else {
        List<RowChange> changes = new ArrayList<>();
        for (int row = 0; row <= random.nextInt(3); row++) {
          changes.add(change(anyKey(), RowExistenceExpectation.IGNORE));
        }
        post(changes);
      }
      for (int steps = random.nextInt(3); steps > 0; steps--) {
        step();
      }
    }
    drain();
  }

  /** A write that is judged in slices, between which rows expire. */
  private void longWrite() throws IOException {
    List<RowChange> changes = new ArrayList<>();
    for (int row = 0; row < 300; row++) {
      changes.add(
          new RowUpdateChange(
              key("k" + row),
              List.of(new ColumnUpdate.Put("c0", ColumnValue.fromLong(row))),
              random.nextInt(3) == 0
                  ? RowExistenceExpectation.EXPECT_EXIST
                  : RowExistenceExpectation.IGNORE));
    }
    post(changes);
    for (int steps = random.nextInt(6); steps > 0; steps--) {
      step();
      clock.micros += random.nextInt(400_000);
    }
    drain();
  }

  private void tick() {
    sweep.tick(List.of(new ExpirySweep.Swept(1, PARTITION, Durability.FSYNC)), 0.1);
  }

  private Map<String, Map<String, Long>> model() {
    Map<String, Map<String, Long>> alive = new TreeMap<>();
    rows.forEach(
        (key, row) -> {
          if (!isOver(row)) {
            alive.put(key, row.columns());
          }
        });
    return alive;
  }

  private static Map<String, Long> columns(List<Column> columns) {
    Map<String, Long> values = new TreeMap<>();
    columns.forEach(column -> values.put(column.getName(), column.getValue().asLong()));
    return values;
  }

  private static Map<String, Map<String, Long>> scan(TableSnapshot snapshot) {
    Map<String, Map<String, Long>> found = new TreeMap<>();
    var unused =
        snapshot.scanBehind(
            PARTITION,
            Bytes.EMPTY,
            (key, columns) -> {
              byte[] array = key.toByteArray();
              String name =
                  io.tunnel.codec.KeyCodec.decode(array, 0, array.length, TestRows.SCHEMA)
                      .getPrimaryKeyColumn(0)
                      .getValue()
                      .asString();
              found.put(name, columns(columns));
              return true;
            });
    return found;
  }

  /** Readers come behind a posted task, and find what the model has. */
  private void requireReads() throws IOException {
    shard.execute(PARTITION, () -> {});
    drain();
    for (int id = 0; id < KEYS; id++) {
      String key = "k" + id;
      assertThat(shard.table().get(PARTITION, keyBytes(key)).map(ExpirySimulationTest::columns))
          .as("a read of %s", key)
          .isEqualTo(alive(key).map(Stored::columns));
    }
    try (TableSnapshot snapshot = shard.table().snapshot()) {
      assertThat(scan(snapshot)).isEqualTo(model());
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 30);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_row_expires_once_and_everybody_finds_what_is_alive(long seed) throws Exception {
    random = new SplittableRandom(seed);
    mayGoBack = seed % 3 == 0;
    open(false);
    Optional<TableSnapshot> kept = Optional.empty();
    Map<String, Map<String, Long>> keptRows = new TreeMap<>();
    for (int i = 0; i < 250; i++) {
      switch (random.nextInt(18)) {
        case 0 -> clock.micros += random.nextInt(5_000_000);
        case 1 -> clock.micros -= mayGoBack ? random.nextInt(3_000_000) : 0;
        case 2 -> ttlMs = 1_000L + random.nextInt(4_000);
        case 3 -> reopen(random.nextInt(3) > 0);
        case 4, 5 -> {
          tick();
          drain();
        }
        case 6 -> together();
        case 7 -> longWrite();
        case 8 -> {
          kept.ifPresent(TableSnapshot::close);
          requireReads();
          kept = Optional.of(shard.table().snapshot());
          keptRows = model();
        }
        case 9 -> requireReads();
        case 10 -> atomic();
        case 11 -> {
          if (lastResult != null) {
            repeat();
          }
        }
        default -> {
          clock.micros += random.nextInt(300_000);
          judged();
        }
      }
      if (kept.isPresent() && !wasReopened) {
        assertThat(scan(kept.get())).as("the rows of a moment").isEqualTo(keptRows);
      }
      if (wasReopened) {
        kept = Optional.empty();
        wasReopened = false;
      }
    }
    kept.ifPresent(TableSnapshot::close);
    clock.micros += 60_000_000;
    for (int ticks = 0; ticks < 100; ticks++) {
      tick();
      drain();
    }
    assertThat(rows).as("all rows have expired, and each has its DELETE").isEmpty();
    assertThat(sweep.lagMicros()).hasValue(0);
    assertThat(expiredMeter).isEqualTo(expiredInLog);
    assertThat(expiredInLog).isPositive();
    assertThat(shard.store().expiries().first(PARTITION, 0, 10)).isEmpty();
    shard.close();
  }

  private boolean wasReopened;

  /** A restart; without its table, the rows are folded from the log again, at another time. */
  private void reopen(boolean hasTable) throws IOException {
    if (lastResult != null && lastResult.appliedRows() == 0) {
      // The answer was in memory.
      lastResult = null;
    }
    shard.close();
    disk = disk.crash(new Random(random.nextLong()));
    open(hasTable);
    learn();
    wasReopened = true;
  }
}
