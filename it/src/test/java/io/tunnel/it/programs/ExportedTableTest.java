package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.table.CreateTableRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code tables export} and {@code import} as processes that are killed, and between engines. */
class ExportedTableTest {

  private static final String TABLE = "orders";
  private static final int PARTITIONS = 4;

  @RegisterExtension final Stage stage = new Stage();

  private static CreateTableRequest.Builder table() {
    return CreateTableRequest.builder(TABLE)
        .key("id", PrimaryKeyType.INTEGER)
        .splitPoint(-(1L << 62))
        .splitPoint(0)
        .splitPoint(1L << 62);
  }

  private static void fill(TableClient tables, int rows) {
    Random random = new Random(rows);
    try (TableWriter writer = tables.openWriter(TABLE)) {
      for (int i = 0; i < rows; i++) {
        byte[] bytes = new byte[100];
        random.nextBytes(bytes);
        var unused =
            writer.add(
                new RowPutChange(
                    PrimaryKey.builder().add("id", random.nextLong()).build(),
                    List.of(
                        new Column("bytes", ColumnValue.fromBinary(bytes)),
                        new Column("double", ColumnValue.fromDouble(random.nextGaussian())),
                        new Column("text", ColumnValue.fromString("row " + i)))));
      }
    }
  }

  private ChildProcess command(String name, Service server, Path directory, String... options) {
    List<String> arguments = new ArrayList<>(List.of("tables", name, "--table", TABLE));
    arguments.addAll(List.of("--server", server.endpoint(), "--json"));
    arguments.addAll(List.of(name.equals("export") ? "--to" : "--from", directory.toString()));
    arguments.addAll(List.of(options));
    return stage.child(name, ServerProcess.MAIN, arguments);
  }

  private static void ended(ChildProcess command, int code) {
    assertThat(command.awaitExit()).as(command.transcript()).isEqualTo(code);
  }

  private static long bytes(Path directory) {
    long bytes = 0;
    try {
      for (int i = 0; i < PARTITIONS; i++) {
        Path part = directory.resolve("part-0000" + i + ".jsonl");
        bytes += Files.exists(part) ? Files.size(part) : 0;
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void requireEqual(TableClient one, TableClient other, int rows) {
    Iterator<Row> expected = one.getRange(TABLE, RangeQuery.ALL).iterator();
    int count = 0;
    for (Row row : other.getRange(TABLE, RangeQuery.ALL)) {
      assertThat(row).isEqualTo(expected.next());
      count++;
    }
    assertThat(expected.hasNext()).isFalse();
    assertThat(count).isEqualTo(rows);
  }

  @Test
  @Tag("proof-programs")
  void each_row_arrives_over_kills_of_the_commands_and_of_both_servers() {
    int rows = 300_000;
    ServerProcess from = stage.server();
    ServerProcess to = stage.server();
    TableClient source = stage.tables(from);
    var unused = source.createTable(table().build());
    fill(source, rows);
    Path export = stage.path("export");

    ChildProcess killed = command("export", from, export);
    Poll.until("rows are in the files", () -> bytes(export) > 1 << 20);
    killed.kill();
    ended(killed, 137);
    ChildProcess early = command("import", to, export, "--create");
    ended(early, 1);
    assertThat(early.transcript()).contains("is not complete");
    assertThat(stage.tables(to).listTables()).isEmpty();

    long before = bytes(export);
    ChildProcess resumed = command("export", from, export, "--resume");
    Poll.until("more rows are in the files", () -> bytes(export) > before + (1 << 20));
    from.kill();
    var unusedServer = from.start();
    ended(resumed, 0);

    Path progress = stage.path("progress");
    String[] options = {"--create", "--progress", progress.toString()};
    ChildProcess cut = command("import", to, export, options);
    Poll.until("how far the import is", () -> Files.exists(progress));
    cut.kill();
    ended(cut, 137);
    String reached = text(progress);
    ChildProcess last = command("import", to, export, options);
    Poll.until("the import is further", () -> !last.isAlive() || !text(progress).equals(reached));
    to.kill();
    var unusedOther = to.start();
    ended(last, 0);
    requireEqual(source, stage.tables(to), rows);
  }

  @Test
  @Tag("proof-nodes")
  void a_table_moves_from_a_server_to_a_cluster_and_back() throws Exception {
    int rows = 20_000;
    ServerProcess single = stage.server();
    TableClient source = stage.tables(single);
    var unused = source.createTable(table().build());
    fill(source, rows);
    KafkaBroker broker = stage.closing(KafkaBroker.start(stage.path("kafka"), Map.of()));
    List<String> node = new ArrayList<>(List.of("--log", "kafka", "--cluster", "c"));
    node.addAll(List.of("--node", "n1", "--bootstrap", broker.bootstrap(), "--replication", "1"));
    ServerProcess cluster = new ServerProcess(stage, stage.path("node"), node).start();

    Path there = stage.path("there");
    ended(command("export", single, there), 0);
    ended(command("import", cluster, there, "--create"), 0);
    requireEqual(source, stage.tables(cluster), rows);

    Path back = stage.path("back");
    ended(command("export", cluster, back, "--strict"), 0);
    source.dropTable(TABLE);
    ended(command("import", single, back, "--create"), 0);
    requireEqual(stage.tables(cluster), stage.tables(single), rows);
    assertThat(source.partitionMap(TABLE).comparedWith(table().build()).differences()).isEmpty();
  }
}
