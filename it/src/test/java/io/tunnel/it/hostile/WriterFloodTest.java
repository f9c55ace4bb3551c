package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.CreateTableRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A principal opens more writers than a partition keeps, while another one loses answers. */
@Tag("proof-hostile")
class WriterFloodTest {

  private static final String TABLE = "counts";
  private static final int ROUNDS = 3;
  private static final int WRITERS_PER_ROUND = 1_100;

  @RegisterExtension static final Stage STAGE = new Stage();

  private final ServerProcess server = STAGE.closedServer();

  private ClientConfig as(String principal, String... rights) {
    return server.clientOf(
        principal, Permission.allow(principal, List.of(rights), "table:" + TABLE));
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  /** Batches that apply nothing: each is of a new writer, and none costs the flooder a row. */
  private static void flood(TableClient flooder) {
    RowChange refused =
        new RowPutChange(
            key(9),
            List.of(new Column("v", ColumnValue.fromLong(1))),
            RowExistenceExpectation.EXPECT_EXIST);
    TableWriterConfig quick = TableWriterConfig.DEFAULTS.withLinger(Duration.ZERO);
    for (int i = 0; i < WRITERS_PER_ROUND; i++) {
      try (TableWriter writer = flooder.openWriter(TABLE, quick)) {
        writer.add(refused, (row, result) -> {});
      }
    }
  }

  private static long value(TableClient client) {
    return client.getRow(TABLE, key(1)).orElseThrow().value("v").orElseThrow().asLong();
  }

  @Test
  void the_repetitions_of_another_principal_are_recognised_all_the_while() {
    ClientConfig owner = as("owner", "create", "read", "write");
    TcpValve valve = STAGE.closing(new TcpValve(server.port()));
    ClientConfig cut = ClientConfig.of(valve.endpoint()).withSecurity(owner.security());
    try (TableClient direct = TableClient.connect(owner);
        TableClient victim = TableClient.connect(cut);
        TableClient flooder = TableClient.connect(as("flooder", "write", "read"))) {
      direct.createTable(
          CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
      RowChange add = new RowUpdateChange(key(1), List.of(new ColumnUpdate.Increment("v", 1)));
      victim.write(TABLE, List.of(add));
      for (int round = 1; round <= ROUNDS; round++) {
        valve.swallowAnswers();
        CompletableFuture<BatchWriteResult> write = victim.tryWriteAsync(TABLE, List.of(add));
        long counted = round + 1L;
        Poll.until("the addition is applied", () -> value(direct) == counted);
        flood(flooder);
        valve.cut();
        assertThat(write.join().results().get(0).outcome())
            .as("round %d", round)
            .isEqualTo(Outcome.APPLIED);
      }
      assertThat(value(direct)).as("each addition once").isEqualTo(ROUNDS + 1);
    }
  }
}
