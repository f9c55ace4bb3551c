package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.Durability;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.ExpirySweep.Swept;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two tables of one shard whose rows have all expired, many in one and few in the other. */
class ExpirySweepTest {

  private static final int MANY = 4_000;
  private static final int FEW = 200;
  private static final int ROWS_PER_SECOND = 2_560;
  private static final long ROWS_PER_TICK = 256;
  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);
  private static final List<Swept> BOTH =
      List.of(new Swept(1, 1, Durability.OS), new Swept(2, 2, Durability.OS));

  @TempDir private Path directory;
  private final CrashDisk disk = new CrashDisk();
  private Shard shard;
  private ExpirySweep sweep;
  private long micros = 1_000_000_000_000L;
  private long nanos;

  private final Shard.Clock clock =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return micros;
        }

        @Override
        public long nanos() {
          return nanos++;
        }
      };

  @BeforeEach
  void open() throws IOException {
    LocalLog log = TestLogs.open(disk, 0);
    Expiries lives = new Expiries(partition -> Expiry.ofMillis(2_000));
    TableStore table = TableStore.openUncompacted(directory, TABLE, log::sync, lives);
    Refold refold = new Refold(table, partition -> true, partition -> Optional.empty());
    StoredRows stored = new StoredRows(table, refold.seen(), partition -> true, lives);
    shard = new Shard(0, CONFIG, new LocalShardLog(log), stored, new NoMeter(), clock);
    sweep = new ExpirySweep(0, shard, ROWS_PER_SECOND);
    write(1, MANY);
    write(2, FEW);
  }

  private void write(int partition, int rows) throws IOException {
    for (int from = 0; from < rows; from += 100) {
      List<RowChange> changes =
          IntStream.range(from, from + 100).<RowChange>mapToObj(id -> put("k" + id)).toList();
      ChangeBatch batch = batch(partition, changes);
      shard.write(new PendingWrite(batch, false, ColumnSizes.of(batch), false, new Ignored()));
      drain();
    }
  }

  private static final class Ignored implements PendingWrite.Outcome {
    @Override
    public void written(WriteResult result) {
      assertThat(result.appliedRows()).isEqualTo(100);
    }

    @Override
    public void refused(RefusedException reason) {
      throw reason;
    }
  }

  private void drain() throws IOException {
    while (shard.step()) {
      // Until nothing waits.
    }
  }

  private void tick() throws IOException {
    sweep.tick(BOTH, 0.1);
    drain();
  }

  private long deleted(int partition, int rows) {
    return shard.log().committed(partition) - rows;
  }

  @Test
  void few_rows_of_one_table_do_not_wait_for_many_of_another() throws IOException {
    micros += 100_000_000;
    for (int ticks = 0; ticks < 3; ticks++) {
      tick();
    }
    assertThat(deleted(2, FEW)).isEqualTo(FEW);
    assertThat(deleted(1, MANY)).isBetween(1L, 768L);
    shard.close();
  }

  @Test
  void rows_are_deleted_at_the_pace_and_no_faster() throws IOException {
    micros += 100_000_000;
    for (int ticks = 1; ticks <= 5; ticks++) {
      tick();
      assertThat(deleted(1, MANY) + deleted(2, FEW))
          .as("rows of %d tenths of a second", ticks)
          .isBetween(ticks * ROWS_PER_TICK, (ticks + 1) * ROWS_PER_TICK);
    }
    shard.close();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.5, 12, 29})
  void a_pace_is_kept_that_is_no_whole_number_of_rows_in_a_tick(double rowsPerSecond)
      throws IOException {
    sweep = new ExpirySweep(0, shard, rowsPerSecond);
    micros += 100_000_000;
    for (int ticks = 0; ticks < 400; ticks++) {
      sweep.tick(BOTH, 0.3);
      drain();
    }
    long inTwoMinutes = (long) (120 * rowsPerSecond);
    assertThat(deleted(1, MANY) + deleted(2, FEW)).isBetween(inTwoMinutes - 1, inTwoMinutes + 1);
    shard.close();
  }

  @Test
  void the_lag_is_unknown_before_each_partition_was_looked_at_and_right_then() throws IOException {
    micros += 100_000_000;
    assertThat(sweep.lagMicros()).isEmpty();
    sweep.tick(BOTH, 0.01);
    drain();
    assertThat(sweep.lagMicros()).as("one look, at the first partition").isEmpty();
    tick();
    // An entry of the index may be a 64th of the time to live before its row.
    assertThat(sweep.lagMicros().orElseThrow()).isBetween(98_000_000L, 98_031_250L);
    // Each row costs two entries: one when the row is deleted, one when the entry is removed.
    for (int ticks = 0; ticks < (MANY + FEW) * 10 / ROWS_PER_SECOND + 3; ticks++) {
      tick();
    }
    assertThat(sweep.lagMicros()).hasValue(0);
    sweep.idle();
    assertThat(sweep.lagMicros()).hasValue(0);
    shard.close();
  }

  @Test
  void the_lag_grows_while_a_full_disk_takes_no_deletes() throws IOException {
    tick();
    tick();
    assertThat(sweep.lagMicros()).hasValue(0);
    disk.room(0);
    micros += 10_000_000;
    tick();
    long lag = sweep.lagMicros().orElseThrow();
    assertThat(lag).isBetween(8_000_000L, 8_031_250L);
    micros += 10_000_000;
    tick();
    assertThat(sweep.lagMicros()).hasValue(lag + 10_000_000);
    disk.room(Long.MAX_VALUE);
    shard.close();
  }
}
