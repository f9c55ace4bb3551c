package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a write that is delayed when its connection is lost before it is served. */
class DelayedWritesTest {

  private static final Duration DELAY = Duration.ofSeconds(3);

  private final InMemoryTunnelService service = InMemoryTunnelService.start();
  private final TableClient tables = TableClient.connect(service.endpoint());

  @BeforeEach
  void createTable() {
    service.createTable(
        new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
  }

  @AfterEach
  void close() {
    tables.close();
    service.close();
  }

  /** A write that waits in the service until {@link #DELAY} has passed. */
  private CompletableFuture<BatchWriteResult> write() {
    service.delay(ClientRequest.WRITE, DELAY);
    RowPutChange row =
        new RowPutChange(
            PrimaryKey.builder().add("id", 1).build(),
            List.of(new Column("v", ColumnValue.fromLong(1))));
    CompletableFuture<BatchWriteResult> late = tables.tryWriteAsync("t", List.of(row));
    service.awaitDelayed(1);
    return late;
  }

  /** As a service below level 2. */
  private void withoutNumbers() {
    service.refuseNext(ClientRequest.OPEN_WRITER, ErrorCode.FEATURE_NOT_ENABLED);
  }

  private static void requireInDoubt(CompletableFuture<BatchWriteResult> late) {
    assertThat(late.join().results().get(0).outcome()).isEqualTo(Outcome.IN_DOUBT);
  }

  @Test
  void it_is_not_applied_again_when_it_was_repeated_meanwhile() {
    CompletableFuture<BatchWriteResult> late = write();
    service.delay(ClientRequest.WRITE, Duration.ZERO);
    service.loseConnections();
    assertThat(late.join().allApplied()).isTrue();
    service.advance(DELAY);
    assertThat(service.changes("t")).hasSize(1);
  }

  @Test
  void it_is_applied_once_though_its_rows_are_in_doubt() {
    withoutNumbers();
    CompletableFuture<BatchWriteResult> late = write();
    service.loseConnections();
    requireInDoubt(late);
    assertThat(service.changes("t")).isEmpty();
    service.advance(DELAY);
    assertThat(service.changes("t")).hasSize(1);
  }

  @Test
  void it_is_not_applied_by_a_server_that_came_back_from_a_crash() {
    withoutNumbers();
    CompletableFuture<BatchWriteResult> late = write();
    service.crashAndRestart();
    requireInDoubt(late);
    service.advance(DELAY);
    assertThat(service.changes("t")).isEmpty();
  }
}
