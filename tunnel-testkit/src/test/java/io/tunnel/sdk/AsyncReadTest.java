package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AsyncReadTest {

  private static final List<PrimaryKeySchema> KEY =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private final InMemoryTunnelService service = InMemoryTunnelService.start();
  private TableClient client;

  @BeforeEach
  void connect() {
    service.createTable(
        new CreateTableRequest(new TableMeta("t", KEY), List.of(PrimaryKeyValue.fromLong(5))));
    client = TableClient.connect(service.endpoint());
  }

  @AfterEach
  void close() {
    client.close();
    service.close();
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowPutChange put(long id) {
    return new RowPutChange(key(id), List.of(new Column("c", ColumnValue.fromLong(id))));
  }

  @Test
  void many_rows_are_read_at_a_time() {
    for (int i = 0; i < 10; i++) {
      service.write("t", put(i));
    }
    service.delay(ClientRequest.GET_ROW, Duration.ofSeconds(1));
    List<CompletableFuture<Optional<Row>>> reads = new ArrayList<>();
    for (int i = 0; i < 11; i++) {
      reads.add(client.getRowAsync("t", key(i)));
    }
    service.awaitDelayed(11);
    service.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 10; i++) {
      assertThat(reads.get(i).join().orElseThrow().value("c").orElseThrow().asLong()).isEqualTo(i);
    }
    assertThat(reads.get(10).join()).isEmpty();
  }

  @Test
  void an_asynchronous_get_fails_with_the_exception_of_a_get() {
    PrimaryKey wrong = PrimaryKey.builder().add("id", "text").build();
    assertThatThrownBy(() -> client.getRowAsync("t", wrong))
        .isInstanceOf(IllegalArgumentException.class);
    service.refuseNext(ClientRequest.GET_ROW, ErrorCode.INTERNAL);
    CompletableFuture<Optional<Row>> read = client.getRowAsync("t", key(1));
    assertThatThrownBy(read::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> client.getRowAsync("missing", key(1)))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void a_row_cannot_be_waited_for_where_it_would_come() {
    service.write("t", put(1));
    service.delay(ClientRequest.GET_ROW, Duration.ofSeconds(1));
    CompletableFuture<Row> refused =
        client.getRowAsync("t", key(1)).thenApply(row -> client.getRow("t", key(1)).orElseThrow());
    service.awaitDelayed(1);
    service.advance(Duration.ofSeconds(1));
    assertThatThrownBy(refused::join)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("callback thread");
  }

  @Test
  void the_key_of_a_table_is_told() {
    assertThat(client.primaryKeyOf("t")).isEqualTo(KEY);
    assertThatThrownBy(() -> client.primaryKeyOf("missing")).isInstanceOf(RefusedException.class);
  }

  @Test
  void what_lingers_is_sent_when_there_is_hurry() {
    TableWriterConfig patient = TableWriterConfig.DEFAULTS.withLinger(Duration.ofHours(1));
    CompletableFuture<RowResult> outcome = new CompletableFuture<>();
    try (TableWriter writer = client.openWriter("t", patient)) {
      writer.add(put(1), (row, result) -> outcome.complete(result));
      assertThat(service.rows("t")).isEmpty();
      writer.hurry();
      assertThat(outcome.join().isApplied()).isTrue();
      assertThat(writer.bufferedBytes()).isZero();
    }
  }
}
