package io.tunnel.cli.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.testing.ClientRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the service in memory, through the SDK as it ships. */
class ImportTableCommandTest extends ExportFixture {

  private void exported(int rows) {
    fill(new Random(rows), rows);
    exportAll();
  }

  private boolean isTargetEmpty() {
    try (TableClient client = TableClient.connect(target.endpoint())) {
      return client.listTables().isEmpty();
    }
  }

  /** A part with some rows. */
  private int filledPart() throws IOException {
    int part = 0;
    while (text(part).lines().count() < 3) {
      part++;
    }
    return part;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void an_export_of_which_one_bit_differs_is_refused_before_anything_is_written(long seed)
      throws IOException {
    exported(40);
    Random random = new Random(seed);
    int part = filledPart();
    Path file = ExportDirectory.part(export(), part);
    byte[] bytes = Files.readAllBytes(file);
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    Files.write(file, bytes);
    assertThat(importRows("--create", "--json")).isEqualTo(1);
    assertThat(err.toString())
        .contains("DAMAGED_EXPORT", file.getFileName().toString(), "nothing was imported: ");
    assertThat(isTargetEmpty()).isTrue();
  }

  @Test
  void a_file_that_is_cut_changed_or_out_of_order_is_refused_with_its_line() throws IOException {
    exported(40);
    int part = filledPart();
    Path file = ExportDirectory.part(export(), part);
    String text = text(part);
    List<String> lines = List.of(text.split("\n"));
    String second = lines.get(1);

    List<String> swapped = new ArrayList<>(lines);
    Collections.swap(swapped, 0, 1);
    refused(file, String.join("\n", swapped) + "\n", "line 2: its key does not come after");
    refused(file, text.replace(second, second + "}"), "line 2: not JSON");
    refused(file, text.replace(second, "{\"a\":1}"), "line 2: has no \"key\"");
    refused(file, text.substring(0, text.length() - 3), "line " + lines.size() + ": not JSON");
    refused(file, text.substring(0, lines.get(0).length() + 1), "it ends after line 1 and ");
    refused(file, "", "it ends after line 0 and 0 bytes");
    refused(file, text.replace("\n", "\r\n"), "is a row, but its checksum is not");
    refused(file, "\uFEFF" + text, "is a row, but its checksum is not");
    refused(file, "x".repeat(10 << 20) + "\n" + text, "line 1: not JSON");
    refused(file, "x".repeat(30 << 20) + "\n" + text, "line 1: over ");
    Files.delete(file);
    assertThat(importRows("--create")).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "the file " + file + " of the export is missing; nothing was imported",
            "Take the file from another copy of the export");
    assertThat(isTargetEmpty()).isTrue();

    Files.writeString(file, text);
    importAll("--create");
    assertThat(target.rows(TABLE)).isEqualTo(source.rows(TABLE));
  }

  private void refused(Path file, String text, String why) throws IOException {
    Files.writeString(file, text, StandardCharsets.UTF_8);
    assertThat(importRows("--create")).isEqualTo(1);
    assertThat(err.toString()).contains(why, file.getFileName().toString());
    assertThat(isTargetEmpty()).isTrue();
  }

  @Test
  void a_directory_that_is_no_export_is_refused_by_name() throws IOException {
    assertThat(importRows()).isEqualTo(74);
    assertThat(err.toString()).contains("there is no directory");
    Files.createDirectory(export());
    assertThat(importRows()).isEqualTo(1);
    assertThat(err.toString()).contains("is no export: it has no file export.json");
    Path manifest = export().resolve("export.json");
    Files.writeString(manifest, "");
    assertThat(importRows()).isEqualTo(1);
    assertThat(err.toString()).contains("export.json", "it is empty");
    for (String bad :
        List.of("{}", "[]", "{\"format\":\"x\"}", "{\"format\":\"tunnel-table-export\"}", "{")) {
      Files.writeString(manifest, bad);
      assertThat(importRows()).as(bad).isEqualTo(1);
      assertThat(err.toString()).contains("was not written by 'tunnel tables export'");
    }
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThat(importRows("--from", file.toString())).isEqualTo(74);
    assertThat(err.toString()).contains("is a file; an export is a directory");
  }

  @Test
  void a_missing_table_is_created_only_when_that_is_asked_for() throws IOException {
    exported(10);
    assertThat(importRows()).isEqualTo(4);
    assertThat(err.toString()).contains("--create creates the table");
    importAll("--create", "--table", "copy");
    assertThat(target.rows("copy")).isEqualTo(source.rows(TABLE));
    assertThat(out.toString()).contains("10 rows of ", " imported into table copy");
  }

  @Test
  void a_table_with_another_key_is_refused_and_one_with_other_options_is_noted() {
    exported(10);
    target.createTable(
        CreateTableRequest.builder(TABLE).key("first", PrimaryKeyType.STRING).build());
    assertThat(importRows("--create")).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "table 'orders' has the key (first STRING), and the exported table has (first STRING,"
                + " second BINARY, third INTEGER, number INTEGER AUTO)");
    assertThat(target.rows(TABLE)).isEmpty();

    // The numbers of an AUTO column are values like others where nothing is numbered.
    target.createTable(
        CreateTableRequest.builder("plain")
            .key("first", PrimaryKeyType.STRING)
            .key("second", PrimaryKeyType.BINARY)
            .key("third", PrimaryKeyType.INTEGER)
            .key("number", PrimaryKeyType.INTEGER)
            .ttl(Duration.ofHours(1))
            .build());
    importAll("--table", "plain");
    assertThat(err.toString())
        .contains(
            "note: table plain differs from the exported one: ttl 3600000 ms instead of none");
    assertThat(target.rows("plain")).isEqualTo(source.rows(TABLE));
  }

  @Test
  void options_that_the_service_refuses_are_named_with_a_way_out() {
    exported(1);
    target.refuseNext(ClientRequest.CREATE_TABLE, ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(importRows("--create")).isEqualTo(1);
    assertThat(err.toString())
        .contains("cannot be created as it was exported", "import without --create");
  }

  @Test
  void an_import_may_be_repeated_and_answers_may_be_lost() {
    exported(100);
    target.loseAnswersOfNextWrites(2);
    importAll("--create");
    importAll();
    assertThat(target.rows(TABLE)).isEqualTo(source.rows(TABLE));
  }

  @Test
  void a_second_import_with_the_file_of_progress_writes_only_what_is_left() throws IOException {
    exported(100);
    Path progress = directory.resolve("progress");
    ExportFile export = ExportDirectory.complete(export());
    target.createTable(table().build());
    TableInfo table;
    try (TableClient client = TableClient.connect(target.endpoint())) {
      table = client.partitionMap(TABLE);
    }
    ImportProgress begin = ImportProgress.begin(export, table);
    List<Long> done = export.parts().stream().map(part -> part.rows() / 2).toList();
    begin.with(done, 0).write(progress);
    long before = done.stream().mapToLong(Long::longValue).sum();

    importAll("--progress", progress.toString(), "--json");
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("doneBefore").getAsLong()).isEqualTo(before);
    assertThat(json.get("applied").getAsLong()).isEqualTo(export.rows() - before);
    assertThat(json.get("left").getAsLong()).isZero();
    assertThat(target.changes(TABLE)).hasSize((int) (export.rows() - before));
    assertThat(err.toString()).as("the rows of before, too").contains("importing: 100 rows in ");

    importAll("--progress", progress.toString());
    assertThat(target.changes(TABLE)).hasSize((int) (export.rows() - before));
    begin.with(done, 0).write(progress);
    assertThat(importRows("--progress", progress.toString(), "--table", TABLE)).isZero();

    // Of another table, and damaged.
    target.createTable(new CreateTableRequest(named("copy"), List.of()));
    assertThat(importRows("--progress", progress.toString(), "--table", "copy")).isEqualTo(1);
    assertThat(err.toString()).contains("is the progress of another export or table");
    begin.with(Collections.nCopies(3, 1_000L), 0).write(progress);
    assertThat(importRows("--progress", progress.toString())).isEqualTo(1);
    requireNoProgress(progress, "{}", "it lacks a valid format");
    requireNoProgress(progress, "", "it is empty");
    requireNoProgress(progress, "{\"format\":", "it ends too early");
    requireNoProgress(
        progress, "{\"format\":\"x\"}", "its format is 'x', not 'tunnel-table-import'");
    requireNoProgress(progress, "~", "it is not JSON");
    requireNoProgress(progress, "[]", "a list where an object belongs");
  }

  private static TableMeta named(String name) {
    return new TableMeta(name, table().build().meta().primaryKey(), TableOptions.DEFAULT);
  }

  private void requireNoProgress(Path progress, String text, String why) throws IOException {
    Files.writeString(progress, text);
    assertThat(importRows("--progress", progress.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains("'" + progress + "' is no progress of an import: " + why)
        .contains("Name the file of --progress of the former import")
        .doesNotContain("ImportProgress");
  }

  @Test
  void a_service_that_goes_away_ends_the_import_and_the_file_of_progress_continues_it()
      throws IOException {
    exported(100);
    Path progress = directory.resolve("progress");
    target.createTable(table().build());
    for (int i = 0; i < 10_000; i++) {
      target.refuseNext(ClientRequest.WRITE, ErrorCode.BUSY);
    }
    assertThat(importRows("--progress", progress.toString(), "--write-retry", "1s"))
        .as(err.toString())
        .isEqualTo(69);
    assertThat(err.toString())
        .contains("never sent", "100 rows are left; the command continues when it is repeated");
    assertThat(target.rows(TABLE)).isEmpty();
    target.close();
  }

  @Test
  void rows_in_doubt_are_written_again_by_an_import_that_continues() {
    exported(100);
    String[] options = {
      "--progress", directory.resolve("progress").toString(), "--threads", "1", "--json"
    };
    target.createTable(table().build());
    target.failNextWrites(1);
    assertThat(importRows(options)).as(err.toString()).isEqualTo(69);
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("inDoubt").getAsInt()).isPositive();
    assertThat(json.get("left").getAsInt()).isEqualTo(100);
    importAll(options);
    assertThat(target.rows(TABLE)).isEqualTo(source.rows(TABLE));
  }

  @Test
  void rejected_rows_are_named_with_their_lines_and_kept_in_a_file() throws IOException {
    exported(100);
    Path rejects = directory.resolve("rejects.jsonl");
    target.createTable(table().build());
    target.refuseNext(ClientRequest.WRITE, ErrorCode.NOT_PERMITTED);
    assertThat(importRows("--rejects", rejects.toString(), "--json", "--threads", "1"))
        .as(err.toString())
        .isEqualTo(1);
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    List<String> rejected =
        Files.readAllLines(rejects).stream()
            .map(line -> line.replace("{\"kind\":\"PUT\",", "{"))
            .toList();
    assertThat(json.get("rejected").getAsInt()).isEqualTo(rejected.size()).isPositive();
    assertThat(err.toString()).containsPattern("part-0000[0-2].jsonl line [0-9]+: REJECTED");
    assertThat(target.rows(TABLE)).hasSize(source.rows(TABLE).size() - rejected.size());
    assertThat(lines()).containsAll(rejected);
  }

  @Test
  void too_many_rejected_rows_end_the_import() {
    exported(400);
    target.createTable(table().build());
    for (int i = 0; i < 10_000; i++) {
      target.refuseNext(ClientRequest.WRITE, ErrorCode.NOT_PERMITTED);
    }
    assertThat(importRows("--rejects-max", "0")).isEqualTo(1);
    assertThat(err.toString()).contains("rejected");
    assertThat(target.rows(TABLE)).isEmpty();
  }

  /** One thread imports part after part, and each part waits for the outcomes of its rows. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 0})
  void rejected_rows_end_the_import_when_there_is_one_more_than_allowed(long beyond)
      throws IOException {
    exported(400);
    List<Long> rows = ExportDirectory.complete(export()).parts().stream().map(Part::rows).toList();
    assertThat(rows).hasSize(3).allMatch(count -> count > 1);
    long first = rows.get(0);
    target.createTable(table().build());
    for (int i = 0; i < 1_000; i++) {
      target.refuseNext(ClientRequest.WRITE, ErrorCode.NOT_PERMITTED);
    }
    String most = Long.toString(first + beyond);
    assertThat(importRows("--threads", "1", "--json", "--rejects-max", most)).isEqualTo(1);
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    long rejected = json.get("rejected").getAsLong();
    if (beyond < 0) {
      assertThat(rejected).isEqualTo(first);
    } else {
      assertThat(rejected).isBetween(first + 1, first + rows.get(1));
    }
    assertThat(json.get("left").getAsLong()).isGreaterThanOrEqualTo(rows.get(2)).isPositive();
  }

  @Test
  void options_that_make_no_sense_are_refused() {
    exported(1);
    assertThat(importRows("--threads", "0")).isEqualTo(2);
    assertThat(importRows("--rejects-max", "-1")).isEqualTo(2);
    assertThat(importRows("--progress", "a", "--rejects", "a")).isEqualTo(2);
    assertThat(importRows("--table", "1 2")).isEqualTo(2);
    assertThat(importRows("--unknown")).isEqualTo(2);
    assertThat(Arrays.asList(out.toString().split("\n"))).containsExactly("");
  }
}
