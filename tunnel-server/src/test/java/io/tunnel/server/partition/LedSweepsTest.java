package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.SessionProof;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.Durability;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.ExpirySweep.Swept;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a shard deletes by itself, where it leads some of its partitions only. */
final class LedSweepsTest {

  private static final int LED = 2;
  private static final int FOLLOWED = 1;
  private static final int ROWS = 100;
  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);

  @TempDir private Path directory;
  private final Set<Integer> led = new HashSet<>(Set.of(LED, FOLLOWED));
  private final Set<Long> alive = new HashSet<>(Set.of(1L));
  private final TestClock clock = new TestClock();
  private Shard shard;

  /** A log that takes changes of some partitions only. */
  private record LedLog(LocalShardLog log, Set<Integer> led) implements ShardLog {
    @Override
    public LocalLog local() {
      return log.local();
    }

    @Override
    public int laneOf(int partition) {
      return log.laneOf(partition);
    }

    @Override
    public Optional<RefusedException> refusal(int partition) {
      return led.contains(partition)
          ? Optional.empty()
          : Optional.of(RefusedException.notLeader("not led", Optional.empty()));
    }

    @Override
    public int appendsMax() {
      return log.appendsMax();
    }

    @Override
    public void append(OpenGroup group, LongSupplier commitMicros) throws IOException {
      log.append(group, commitMicros);
    }

    @Override
    public List<Settled> takeSettled() {
      return log.takeSettled();
    }

    @Override
    public void close() throws IOException {
      log.close();
    }
  }

  @BeforeEach
  void open() throws IOException {
    LocalLog log = TestLogs.open(new CrashDisk(), 0);
    Expiries lives = new Expiries(partition -> Expiry.ofMillis(2_000));
    TableStore table = TableStore.openUncompacted(directory, TABLE, log::sync, lives);
    Refold refold =
        new Refold(
            table,
            partition -> true,
            partition -> Optional.empty(),
            session -> Optional.of("somebody").filter(any -> alive.contains(session)),
            WriterLimits.DEFAULT.of(1),
            SeenPlaces.NONE);
    StoredRows stored = new StoredRows(table, refold.seen(), partition -> true, lives);
    ShardLog some = new LedLog(new LocalShardLog(log), led);
    shard = new Shard(0, CONFIG, some, stored, new NoMeter(), clock);
  }

  private void write(int partition, boolean isBound) throws Exception {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    if (isBound) {
      builder.bind(new SessionProof(1, Bytes.copyOf(new byte[SessionProof.SECRET_BYTES])));
    }
    for (int row = 0; row < ROWS; row++) {
      assertThat(builder.add(put("k" + row))).isTrue();
    }
    byte[] array = builder.build(partition);
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    Outcomes outcome = new Outcomes();
    shard.write(
        new PendingWrite(
            batch,
            new PendingWrite.Judging(
                ConditionPlace.ofRows(TestRows.SCHEMA),
                false,
                ColumnSizes.of(batch),
                isBound ? Optional.of(new PendingWrite.Binding(1, false)) : Optional.empty()),
            Optional.empty(),
            false,
            outcome));
    drain();
    assertThat(outcome.result().appliedRows()).isEqualTo(ROWS);
  }

  private void drain() {
    while (shard.step()) {
      // Until nothing waits.
    }
  }

  private long deleted(int partition) {
    return shard.log().committed(partition) - ROWS;
  }

  @Test
  void expired_rows_of_led_partitions_go_and_the_others_cost_nothing() throws Exception {
    write(FOLLOWED, false);
    write(LED, false);
    led.remove(FOLLOWED);
    clock.pass(100_000);
    // So many rows a second that the led rows take all of the tick.
    ExpirySweep sweep = new ExpirySweep(0, shard, 10 * ROWS);
    List<Swept> both =
        List.of(new Swept(1, FOLLOWED, Durability.OS), new Swept(1, LED, Durability.OS));
    sweep.tick(both, 0.1);
    drain();
    assertThat(deleted(LED)).isEqualTo(ROWS);
    assertThat(deleted(FOLLOWED)).isZero();
    led.add(FOLLOWED);
    sweep.tick(both, 0.1);
    drain();
    assertThat(deleted(FOLLOWED)).isEqualTo(ROWS);
    shard.close();
  }

  @Test
  void rows_of_an_ended_session_go_where_the_shard_leads() throws Exception {
    write(FOLLOWED, true);
    write(LED, true);
    led.remove(FOLLOWED);
    alive.clear();
    SessionSweep sweep = new SessionSweep(0, shard);
    sweep.tick();
    drain();
    assertThat(deleted(LED)).isEqualTo(ROWS);
    assertThat(deleted(FOLLOWED)).isZero();
    led.add(FOLLOWED);
    sweep.tick();
    drain();
    assertThat(deleted(FOLLOWED)).isEqualTo(ROWS);
    shard.close();
  }
}
