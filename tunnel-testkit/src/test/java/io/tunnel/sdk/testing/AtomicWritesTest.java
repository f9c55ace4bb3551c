package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.processor.AtomicBatch;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client does with an atomic batch whose first attempt fails. */
class AtomicWritesTest {

  private static final String TABLE = "accounts";

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  @AutoClose private final TableClient tables = TableClient.connect(service.endpoint());

  @BeforeEach
  void a_table() {
    service.createTable(
        new TableMeta(TABLE, List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
  }

  private static RowChange add(long id, long delta) {
    PrimaryKey key = PrimaryKey.builder().add("id", id).build();
    return new RowUpdateChange(key, List.of(new ColumnUpdate.Increment("balance", delta)));
  }

  private BatchWriteResult transfer() {
    return tables.tryWriteAtomically(TABLE, List.of(add(1, -30), add(2, 30)));
  }

  @Test
  void a_batch_that_the_server_refuses_is_not_sent_again_in_halves() {
    service.refuseNext(ClientRequest.WRITE, ErrorCode.ROW_TOO_LARGE);
    assertThat(transfer().results())
        .extracting(RowResult::outcome)
        .containsExactly(Outcome.REJECTED, Outcome.REJECTED);
    assertThat(service.rows(TABLE)).isEmpty();
  }

  @Test
  void a_batch_whose_answer_is_lost_is_applied_once() {
    service.loseAnswersOfNextWrites(1);
    assertThat(transfer().allApplied()).isTrue();
    assertThat(transfer().allApplied()).isTrue();
    assertThat(service.changes(TABLE))
        .extracting(change -> change.atomicBatch().orElseThrow())
        .containsExactly(
            new AtomicBatch(1, 0, 2),
            new AtomicBatch(1, 1, 2),
            new AtomicBatch(3, 0, 2),
            new AtomicBatch(3, 1, 2));
    assertThat(service.rows(TABLE))
        .extracting(row -> row.value("balance").orElseThrow().asLong())
        .containsExactly(-60L, 60L);
  }
}
