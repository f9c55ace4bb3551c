package io.tunnel.cli.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowBuilder;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the service in memory, through the SDK as it ships. */
class ExportTableCommandTest extends ExportFixture {

  private static List<String> printed(List<Row> rows) {
    return rows.stream().map(row -> TypedJson.of(row).toString()).toList();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void what_is_exported_and_imported_is_what_it_was(long seed) throws IOException {
    fill(new Random(seed), 300);
    exportAll();
    assertThat(lines()).isEqualTo(printed(source.rows(TABLE)));

    importAll("--create");
    assertThat(target.rows(TABLE)).isEqualTo(source.rows(TABLE));
    try (TableClient from = TableClient.connect(source.endpoint());
        TableClient to = TableClient.connect(target.endpoint())) {
      TableInfo copied = to.partitionMap(TABLE);
      assertThat(copied.meta()).isEqualTo(from.partitionMap(TABLE).meta());
      assertThat(copied.comparedWith(table().build()).differences()).isEmpty();
      // A new row gets a number of its own.
      long next =
          to.write(
                  TABLE,
                  List.of(
                      new RowPutChange(
                          PrimaryKey.builder()
                              .add("first", "x")
                              .add("second", new byte[0])
                              .add("third", 1)
                              .auto("number")
                              .build(),
                          List.of())))
              .results()
              .get(0)
              .key()
              .orElseThrow()
              .getPrimaryKeyColumn("number")
              .getValue()
              .asLong();
      assertThat(next).isPositive();
    }
    assertThat(target.rows(TABLE)).hasSize(source.rows(TABLE).size() + 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void an_export_that_was_cut_anywhere_continues_after_its_last_durable_rows(long seed)
      throws IOException {
    Random random = new Random(seed);
    fill(random, 60);
    exportAll();
    List<String> whole = lines();
    cut(random, source.rows(TABLE));

    assertThat(importRows("--create")).isEqualTo(1);
    assertThat(err.toString()).contains("is not complete", "--resume");
    assertThat(exportRows()).isEqualTo(1);
    assertThat(err.toString()).contains("is not complete: --resume continues it");
    assertThat(exportRows("--resume")).as(err.toString()).isZero();
    assertThat(err.toString()).as("the rows of before, too").contains("exporting: 60 rows in ");
    assertThat(lines()).isEqualTo(whole);
    importAll("--create");
    assertThat(target.rows(TABLE)).isEqualTo(source.rows(TABLE));
  }

  @Test
  void a_part_that_is_damaged_before_it_is_complete_is_exported_again() throws IOException {
    fill(new Random(1), 60);
    exportAll();
    List<String> whole = lines();
    cut(new Random(5), source.rows(TABLE));
    List<Part> before;
    try (ExportDirectory begun = ExportDirectory.open(export())) {
      before = begun.begun().orElseThrow().parts();
    }
    int damaged = 0;
    while (before.get(damaged).rows() == 0) {
      damaged++;
    }
    Path file = ExportDirectory.part(export(), damaged);
    byte[] bytes = Files.readAllBytes(file);
    bytes[0] ^= 1;
    Files.write(file, bytes);

    assertThat(exportRows("--resume")).as(err.toString()).isZero();
    assertThat(err.toString())
        .contains(file.getFileName() + " is damaged: its rows are exported again");
    assertThat(lines()).isEqualTo(whole);
  }

  @Test
  void a_read_that_is_refused_leaves_an_export_that_continues() throws IOException {
    fill(new Random(1), 60);
    source.refuseNext(ClientRequest.GET_RANGE, ErrorCode.INTERNAL);
    assertThat(exportRows("--threads", "1")).isNotZero();
    assertThat(err.toString()).contains("the export is not complete: --resume continues it");
    assertThat(exportRows("--resume", "--json")).as(err.toString()).isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("isComplete").getAsBoolean()).isTrue();
    assertThat(json.get("rows").getAsInt()).isEqualTo(source.rows(TABLE).size());
    assertThat(json.get("parts").getAsInt()).isEqualTo(3);
    assertThat(lines()).isEqualTo(printed(source.rows(TABLE)));
  }

  @Test
  void a_complete_export_is_neither_written_over_nor_mistaken_for_a_new_one() throws IOException {
    fill(new Random(1), 10);
    assertThat(exportRows("--resume")).as("nothing to continue").isZero();
    assertThat(out.toString()).contains("table orders exported to", "10 rows", "in 3 parts");
    List<String> whole = lines();
    source.write(TABLE, Row.key(key(new Random(2), 99)).set("new", 1).put());
    assertThat(exportRows()).isEqualTo(1);
    assertThat(err.toString()).contains("has a complete export: name another directory");
    assertThat(exportRows("--resume")).isZero();
    assertThat(lines()).isEqualTo(whole);
  }

  @Test
  void only_the_export_of_the_one_table_and_selection_is_continued() throws IOException {
    fill(new Random(1), 30);
    exportAll();
    cut(new Random(1), source.rows(TABLE));
    assertThat(exportRows("--resume", "--columns", "a")).isEqualTo(1);
    assertThat(err.toString()).contains("an export of all rows, all columns, and not of all rows");
    source.createTable(
        CreateTableRequest.builder("other").key("id", PrimaryKeyType.INTEGER).build());
    assertThat(exportRows("--resume", "--table", "other")).isEqualTo(1);
    assertThat(err.toString()).contains("has an export of table 'orders'");

    try (TableClient client = TableClient.connect(source.endpoint())) {
      client.dropTable(TABLE);
    }
    source.createTable(table().build());
    assertThat(exportRows("--resume")).isEqualTo(1);
    assertThat(err.toString())
        .contains("an export of a former table 'orders', or of one on another server");
  }

  @Test
  void a_condition_and_columns_choose_what_is_exported() throws IOException {
    source.createTable(CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
    for (int i = 0; i < 10; i++) {
      source.write(TABLE, Row.key("id", i).set("a", i).set("b", "x").put());
    }
    assertThat(exportRows("--where", "a >= 7", "--columns", "b")).as(err.toString()).isZero();
    assertThat(lines()).hasSize(3);
    importAll("--create");
    assertThat(err.toString()).contains("note: the export has where a >= 7, columns [b]");
    assertThat(target.rows(TABLE)).hasSize(3);
    assertThat(target.rows(TABLE).get(0).value("b")).hasValue(ColumnValue.fromString("x"));
    assertThat(target.rows(TABLE).get(0).value("a")).isEmpty();
  }

  @Test
  void large_rows_and_rows_of_many_columns_come_back() {
    source.createTable(CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
    RowBuilder many = Row.key("id", 1);
    for (int i = 0; i < 1_024; i++) {
      many = many.set("c" + i, i);
    }
    source.write(
        TABLE,
        many.put(),
        Row.key("id", 2).set("text", "\u0001".repeat(2 << 20)).put(),
        Row.key("id", 3).set("bytes", new byte[2 << 20]).put(),
        Row.key("id", 4).put());
    exportAll();
    importAll("--create");
    assertThat(target.rows(TABLE)).isEqualTo(source.rows(TABLE));
  }

  @Test
  void an_empty_table_is_exported_with_its_definition() {
    source.createTable(table().build());
    exportAll();
    assertThat(out.toString()).contains("0 rows");
    importAll("--create");
    assertThat(target.rows(TABLE)).isEmpty();
  }

  @Test
  void a_place_that_is_no_place_for_an_export_is_refused_and_left_as_it_is() throws IOException {
    fill(new Random(1), 3);
    Path file = Files.writeString(directory.resolve("file"), "mine");
    assertThat(exportRows("--to", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--to names a directory");
    assertThat(Files.readString(file)).isEqualTo("mine");

    Path others = Files.createDirectory(directory.resolve("others"));
    Files.writeString(others.resolve("mine"), "");
    assertThat(exportRows("--to", others.toString(), "--resume")).isEqualTo(2);
    assertThat(err.toString()).contains("has other files and is no export");
    try (var left = Files.list(others)) {
      assertThat(left).hasSize(1);
    }
    assertThat(exportRows("--to", "-")).isEqualTo(2);
    assertThat(err.toString()).contains("'tables scan --limit all --json' prints the rows");
    assertThat(exportRows("--threads", "9")).isEqualTo(2);
    assertThat(exportRows("--columns", "a,a")).isEqualTo(2);
    assertThat(exportRows("--columns", "first")).isEqualTo(2);
    assertThat(Files.exists(export())).isFalse();
  }

  @Test
  void a_directory_has_one_export_at_a_time() throws IOException {
    fill(new Random(1), 3);
    try (ExportDirectory open = ExportDirectory.open(export())) {
      assertThat(open.begun()).isEmpty();
      assertThat(exportRows()).isEqualTo(69);
      assertThat(err.toString()).contains("is in use by another export");
    }
    exportAll();
  }

  @Test
  void a_table_that_is_created_again_meanwhile_completes_no_part() throws Exception {
    fill(new Random(1), 10);
    try (TableClient client = TableClient.connect(source.endpoint());
        ExportDirectory to = ExportDirectory.open(export());
        StopSignal signal = new StopSignal(1);
        ProgressBar bar =
            new ProgressBar(
                "exporting",
                "rows",
                OptionalLong.empty(),
                Screen.standardError(new PrintWriter(err), Map.of()),
                () -> 0)) {
      TableInfo now = client.describeTable(TABLE);
      TableInfo former =
          new TableInfo(now.tableId(), now.meta(), now.createdMs() - 1, now.partitions());
      ExportFile begun =
          ExportFile.begin(former, new ExportFile.Selection(Optional.empty(), Optional.empty()), 1);
      ExportRun run =
          new ExportRun(
              client,
              to,
              begun,
              new ExportRun.Reading(RowSelection.ALL, ReadMode.BOUNDED),
              new ExportRun.Screening(bar, line -> {}, () -> 0));
      assertThatThrownBy(() -> run.run(1, signal))
          .hasMessageContaining("was dropped and created again since the export began");
      assertThat(to.isComplete()).isFalse();
      assertThat(to.begun().orElseThrow().parts()).noneMatch(Part::isComplete);
    }
  }

  @Test
  void a_disk_that_is_full_leaves_an_export_that_continues() throws IOException {
    fill(new Random(1), 60);
    exportAll();
    List<String> whole = lines();
    cut(new Random(5), source.rows(TABLE));
    List<Path> full = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Path file = ExportDirectory.part(export(), i);
      Files.delete(file);
      full.add(Files.createSymbolicLink(file, Path.of("/dev/full")));
    }
    assertThat(exportRows("--resume")).isEqualTo(74);
    assertThat(err.toString())
        .contains("No space left on device", "the export is not complete: --resume continues it");
    for (Path file : full) {
      Files.delete(file);
    }
    assertThat(exportRows("--resume")).as(err.toString()).isZero();
    assertThat(lines()).isEqualTo(whole);
  }

  @Test
  void a_part_is_what_was_synced_and_its_torn_end_is_cut_off() throws IOException {
    Path file = directory.resolve("part");
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      rows.add(new Row(key(new Random(i), i), columns(new Random(i))));
    }
    Part first;
    try (PartFile part = PartFile.open(file, Part.NONE).orElseThrow()) {
      for (Row row : rows.subList(0, 6)) {
        part.add(row);
      }
      first = part.sync();
      part.add(rows.get(9)); // Never synced.
    }
    Files.writeString(file, Files.readString(file) + "{\"key\":{\"fir".repeat(1_000));
    assertThat(first.rows()).isEqualTo(6);
    assertThat(first.last()).contains(rows.get(5).primaryKey());
    assertThat(PartFile.open(file, new Part(6, first.bytes(), 1, first.last(), false))).isEmpty();
    try (PartFile part = PartFile.open(file, first).orElseThrow()) {
      for (Row row : rows.subList(6, 10)) {
        part.add(row);
      }
      assertThat(part.sync().rows()).isEqualTo(10);
    }
    assertThat(Files.readAllLines(file)).isEqualTo(printed(rows));
  }
}
