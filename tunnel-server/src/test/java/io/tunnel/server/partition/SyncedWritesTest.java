package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A write that asks for a sync is answered when all that its answer speaks of is on the disk,
 * whatever became of the write and whatever is written with it.
 */
final class SyncedWritesTest {

  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);

  /** The write that is answered. */
  private enum Answered {
    /** A plain write. */
    PLAIN,
    /** The first attempt of a numbered write. */
    FIRST,
    /** The second attempt of a numbered write, whose first attempt was not synced. */
    REPEATED,
    /** As {@link #REPEATED}, when a later write of another writer is not synced either. */
    REPEATED_LATER,
    /** As {@link #REPEATED}, where one row of two was applied. */
    REPEATED_IN_PART
  }

  /** What is written in its group. */
  private enum Company {
    NONE,
    UNSYNCED_BEFORE,
    UNSYNCED_AFTER
  }

  @TempDir private Path directory;
  private final CrashDisk disk = new CrashDisk();
  private LocalLog log;
  private Shard shard;
  private int writers;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(disk, 0);
    Expiries lives = new Expiries(partition -> Expiry.NEVER);
    TableStore table = TableStore.openUncompacted(directory, TABLE, log::sync, lives);
    Refold refold = new Refold(table, partition -> true, partition -> Optional.empty());
    StoredRows stored = new StoredRows(table, refold.seen(), partition -> true, lives);
    shard = new Shard(0, CONFIG, new LocalShardLog(log), stored, new NoMeter(), new TestClock());
  }

  /** Notes what was on the disk when the write was answered. */
  private final class Noting implements PendingWrite.Outcome {
    private WriteResult result;
    private long unsynced;

    @Override
    public void written(WriteResult written) {
      result = written;
      unsynced = log.end() - log.syncedOffset();
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

  private Numbered numbered() {
    ByteBuffer id = ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(++writers);
    return new Numbered(Bytes.copyOf(id.array()), 1, 0);
  }

  private Noting send(Optional<Numbered> by, boolean isSynced, ChangeBatch batch) {
    Noting outcome = new Noting();
    shard.write(
        new PendingWrite(
            batch,
            new PendingWrite.Judging(
                ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch)),
            by,
            isSynced,
            outcome));
    return outcome;
  }

  private Noting unsynced(String key) {
    return send(Optional.of(numbered()), false, batch(1, put(key)));
  }

  private static ChangeBatch rows(Answered answered) {
    RowPutChange fresh =
        new RowPutChange(
            TestRows.key("before"), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
    return answered == Answered.REPEATED_IN_PART ? batch(1, put("a"), fresh) : batch(1, put("a"));
  }

  static Stream<Arguments> cases() {
    return Arrays.stream(Answered.values())
        .flatMap(
            answered ->
                Arrays.stream(Company.values())
                    .flatMap(
                        company ->
                            Stream.of(true, false)
                                .map(isSynced -> Arguments.of(answered, company, isSynced))));
  }

  @ParameterizedTest(name = "{0}, {1}, synced {2}")
  @MethodSource("cases")
  void is_answered_behind_a_sync_exactly_if_it_asks_for_one(
      Answered answered, Company company, boolean isSynced) throws IOException {
    Noting before = send(Optional.empty(), false, batch(1, put("before")));
    drain();
    assertThat(before.unsynced).as("it was not synced").isPositive();
    Optional<Numbered> by = answered == Answered.PLAIN ? Optional.empty() : Optional.of(numbered());
    if (answered.compareTo(Answered.REPEATED) >= 0) {
      Noting first = send(by, false, rows(answered));
      drain();
      assertThat(first.result.appliedRows()).isEqualTo(1);
    }
    if (answered == Answered.REPEATED_LATER) {
      unsynced("later");
      drain();
    }
    if (company == Company.UNSYNCED_BEFORE) {
      unsynced("company");
    }
    Noting write = send(by, isSynced, rows(answered));
    if (company == Company.UNSYNCED_AFTER) {
      unsynced("company");
    }
    drain();
    assertThat(write.result.appliedRows()).isEqualTo(1);
    assertThat(write.unsynced > 0).isEqualTo(!isSynced);
    if (isSynced) {
      requireDurable(write.result.firstPosition());
      assertThatThrownBy(shard::close).hasMessageContaining("the machine is down");
    } else {
      shard.close();
    }
  }

  /** Whatever a loss of power takes of the rest. */
  private void requireDurable(long position) throws IOException {
    CrashDisk killed = disk.kill();
    for (int seed = 0; seed < 20; seed++) {
      try (LocalLog left = TestLogs.open(killed.crash(new Random(seed)), 0)) {
        assertThat(left.committed(1)).as("seed %d", seed).isGreaterThanOrEqualTo(position);
      }
    }
  }
}
