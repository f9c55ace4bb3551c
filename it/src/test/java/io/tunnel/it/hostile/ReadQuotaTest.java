package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Returning;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.CreateTableRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A principal with a quota of reads, and more connections than one. */
@Tag("proof-hostile")
class ReadQuotaTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static final String TABLE = "large";
  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1L).build();

  private final ServerProcess server = STAGE.closedServer();

  private ClientConfig principal(String name, String limit, String... rights) {
    ClientConfig client =
        server.clientOf(name, Permission.allow(name, List.of(rights), "table:" + TABLE));
    try (TableClient owner = TableClient.connect(server.client());
        SecurityClient security = new SecurityClient(server.client())) {
      if (!owner.listTables().contains(TABLE)) {
        owner.createTable(
            CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
        Column value = new Column("v", ColumnValue.fromString("x".repeat(100_000)));
        owner.write(TABLE, List.of(new RowPutChange(KEY, List.of(value))));
      }
      security.setQuota(new SecurityClient.Quota(name, Map.of(limit, 10_000L)));
    }
    return client;
  }

  private static CompletableFuture<?> read(TableClient client) {
    return client.getRowAsync(TABLE, KEY);
  }

  private static void requireWaits(CompletableFuture<?> read) {
    assertThatThrownBy(() -> read.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
  }

  @Test
  void an_open_connection_reads_nothing_while_another_one_owes_and_writes_on() throws Exception {
    ClientConfig ofAda = principal("ada", "readBytesPerSecond", "read", "write");
    try (TableClient greedy = TableClient.connect(ofAda);
        TableClient reader = TableClient.connect(ofAda);
        TableClient writer = TableClient.connect(ofAda);
        TableClient other = TableClient.connect(ofAda)) {
      for (TableClient each : List.of(greedy, reader, writer, other)) {
        assertThat(each.describeTable(TABLE)).as("connects").isNotNull();
      }
      assertThat(read(greedy).get()).isNotNull();
      requireWaits(read(reader));
      RowPutChange plain = new RowPutChange(KEY, List.of());
      writer.write(TABLE, List.of(plain));
      requireWaits(writer.writeAsync(TABLE, List.of(plain.returning(Returning.columns("v")))));
      assertThat(other.describeTable(TABLE)).as("a request without rows").isNotNull();
    }
  }

  @Test
  void an_open_connection_writes_nothing_while_another_one_owes() throws Exception {
    ClientConfig ofCat = principal("cat", "writtenBytesPerSecond", "read", "write");
    RowPutChange large =
        new RowPutChange(
            KEY, List.of(new Column("v", ColumnValue.fromString("y".repeat(100_000)))));
    try (TableClient greedy = TableClient.connect(ofCat);
        TableClient writer = TableClient.connect(ofCat)) {
      RowPutChange small = new RowPutChange(KEY, List.of());
      for (TableClient each : List.of(greedy, writer)) {
        each.write(TABLE, List.of(small));
      }
      greedy.write(TABLE, List.of(large));
      requireWaits(writer.writeAsync(TABLE, List.of(small)));
      assertThat(read(writer)).as("behind the write").isNotDone();
    }
  }

  @Test
  void reads_that_a_connection_sends_at_once_are_charged_one_by_one() throws Exception {
    try (TableClient client = TableClient.connect(principal("bob", "readBytesPerSecond", "read"))) {
      assertThat(client.describeTable(TABLE)).as("connects").isNotNull();
      List<CompletableFuture<?>> reads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        reads.add(read(client));
      }
      assertThat(CompletableFuture.anyOf(reads.toArray(CompletableFuture[]::new)).get())
          .isNotNull();
      requireWaits(CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)));
      assertThat(reads.stream().filter(CompletableFuture::isDone)).hasSize(1);
    }
  }
}
