package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.it.process.FrameProxy;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.Restore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Numbers of keys across kills of the server, and where answers are lost. */
class AutoKeysTest {

  private static final String TABLE = "orders";
  private static final int SWALLOWED_ONE_IN = 10;

  @RegisterExtension final Stage stage = new Stage();

  private static void create(TableClient tables) {
    var unused =
        tables.createTable(
            CreateTableRequest.builder(TABLE)
                .key("shop", PrimaryKeyType.STRING)
                .autoKey("number")
                .build());
  }

  private static RowChange put(String shop, long v) {
    return new RowPutChange(
        PrimaryKey.builder().add("shop", shop).auto("number").build(),
        List.of(new Column("v", ColumnValue.fromLong(v))));
  }

  private static PrimaryKey written(TableClient tables, String shop) {
    return tables.write(TABLE, List.of(put(shop, 1))).results().get(0).key().orElseThrow();
  }

  private static long number(PrimaryKey key) {
    return key.getPrimaryKeyColumn("number").getValue().asLong();
  }

  @Test
  void numbers_rise_over_kills_although_the_rows_with_the_largest_are_deleted() {
    ServerProcess server = stage.server();
    create(stage.tables(server));
    long last = 0;
    for (int life = 0; life < 3; life++) {
      TableClient tables = stage.tables(server);
      List<RowChange> deletes = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        PrimaryKey key = written(tables, "shop" + i);
        assertThat(number(key)).isGreaterThan(last);
        last = number(key);
        deletes.add(new RowDeleteChange(key));
      }
      tables.write(TABLE, deletes);
      server.kill();
      var unused = server.start();
    }
    assertThat(number(written(stage.tables(server), "a"))).isGreaterThan(last);
  }

  /** The row with the largest number is in the log of the backup alone: its stored row is gone. */
  @Test
  void what_is_restored_numbers_on_behind_the_largest_number_of_the_backup() throws IOException {
    ServerProcess server = stage.server();
    TableClient tables = stage.tables(server);
    create(tables);
    var unused = written(tables, "a");
    PrimaryKey largest = written(tables, "b");
    tables.write(TABLE, List.of(new RowDeleteChange(largest)));
    ServerProcess restored = new ServerProcess(stage, stage.path("restored"), List.of());
    try (BackupDirectory backup = BackupDirectory.create(stage.path("backup"))) {
      Backup.Options options = new Backup.Options(false, Optional.empty());
      Backup.Outcome taken = Backup.take(server.data(), backup, options, 1, count -> {});
      var unusedRestore =
          Restore.run(backup, taken.set(), restored.data(), new Random(1), count -> {});
    }
    server.stop();
    restored.start();
    assertThat(number(written(stage.tables(restored), "a"))).isGreaterThan(number(largest));
  }

  @Test
  void a_server_of_level_one_refuses_such_a_table_by_name() throws IOException {
    Path data = Files.createDirectories(stage.path("former"));
    // As release 0.1.0 leaves it: without a level, which is level 1.
    Files.writeString(data.resolve("FORMAT"), "{\"format\":2,\"shards\":2}");
    ServerProcess server = new ServerProcess(stage, data, List.of()).start();
    TableClient tables = stage.tables(server);
    assertThatThrownBy(() -> create(tables))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED))
        .hasMessageContaining("AUTO keys")
        .hasMessageContaining("level 2");
  }

  @Test
  void where_answers_are_lost_each_row_is_there_once_under_the_number_of_its_result() {
    int rows = 2_000;
    ServerProcess server = stage.server();
    TableClient direct = stage.tables(server);
    create(direct);
    AnswerSwallower swallower = new AnswerSwallower(SWALLOWED_ONE_IN);
    FrameProxy proxy = stage.closing(new FrameProxy(server.port(), swallower));
    TableWriterConfig small =
        TableWriterConfig.DEFAULTS.withBatchBytesMax(1_500).withBufferBytesMax(20_000);
    Queue<RowResult> results = new ConcurrentLinkedQueue<>();
    Map<PrimaryKey, Long> told = new HashMap<>();
    try (TableClient client = TableClient.connect(ClientConfig.of(proxy.endpoint()));
        TableWriter writer = client.openWriter(TABLE, small)) {
      for (int i = 0; i < rows; i++) {
        long v = i;
        writer.add(
            put("shop" + i % 3, v),
            (row, result) -> {
              results.add(result);
              synchronized (told) {
                told.put(result.key().orElseThrow(), v);
              }
            });
      }
    }
    assertThat(swallower.swallowed()).isPositive();
    assertThat(results).hasSize(rows).allMatch(RowResult::isApplied);
    Map<PrimaryKey, Long> stored = new HashMap<>();
    for (Row row : direct.getRange(TABLE, RangeQuery.ALL)) {
      stored.put(row.primaryKey(), row.value("v").orElseThrow().asLong());
    }
    assertThat(stored).isEqualTo(told);
  }
}
