package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.SessionProof;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of many sessions that come into one group of the log. */
final class BoundRowsGroupTest {

  private static final int SESSIONS = 20;
  private static final Bytes SECRET = Bytes.copyOf(new byte[SessionProof.SECRET_BYTES]);

  /** Takes all batches of the test at once. */
  private static final ShardConfig CONFIG = new ShardConfig(16 << 20, 64 << 10, 16 << 20);

  @TempDir private Path directory;

  private Shard open(LocalLog log) throws IOException {
    TableStore table =
        TableStore.openUncompacted(
            directory, new TableStoreConfig(1 << 20, 1 << 20, 1), log::sync, Expiries.NONE);
    Refold refold =
        new Refold(
            table,
            partition -> true,
            partition -> Optional.empty(),
            session -> Optional.of("greedy"),
            WriterLimits.DEFAULT.of(1),
            SeenPlaces.NONE);
    StoredRows stored = new StoredRows(table, refold.seen(), partition -> true, Expiries.NONE);
    return new Shard(0, CONFIG, new LocalShardLog(log), stored, new NoMeter(), new TestClock());
  }

  private static Outcomes post(Shard shard, long session) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.bind(new SessionProof(session, SECRET));
    for (int row = 0; row < Limits.SESSION_ROWS_MAX; row++) {
      assertThat(builder.add(TestRows.put("k" + session + "/" + row))).isTrue();
    }
    byte[] array = builder.build(1);
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    Outcomes outcome = new Outcomes();
    shard.write(
        new PendingWrite(
            batch,
            new PendingWrite.Judging(
                ConditionPlace.ofRows(TestRows.SCHEMA),
                false,
                ColumnSizes.of(batch),
                Optional.of(new PendingWrite.Binding(session, false))),
            Optional.empty(),
            true,
            outcome));
    return outcome;
  }

  @Test
  void take_no_more_than_the_share_of_their_principal() throws Exception {
    Shard shard = open(TestLogs.open(new CrashDisk(), 0));
    List<Outcomes> outcomes = new ArrayList<>();
    for (int session = 1; session <= SESSIONS; session++) {
      outcomes.add(post(shard, session));
    }
    assertThat(shard.step()).isTrue();
    int places = BoundRows.ROWS_MAX / 6 / Limits.SESSION_ROWS_MAX;
    for (int session = 1; session <= SESSIONS; session++) {
      assertThat(outcomes.get(session - 1).refusal())
          .as("session %d", session)
          .isEqualTo(session <= places ? null : ErrorCode.LIMIT_REACHED);
    }
    shard.close();
  }
}
