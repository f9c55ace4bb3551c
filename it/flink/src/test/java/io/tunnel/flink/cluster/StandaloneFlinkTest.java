package io.tunnel.flink.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The uber jar in a Flink of processes, used as a user does: by its SQL client and its CLI. */
@Tag("proof-flink")
class StandaloneFlinkTest {

  @RegisterExtension static final StandaloneFlink FLINK = new StandaloneFlink();

  private static final Pattern BLOCK = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);
  private static final String TOTALS = "SELECT * FROM city_totals;";

  private static LocalServer tables;

  @BeforeAll
  static void serve() throws IOException {
    tables = new LocalServer();
  }

  @AfterAll
  static void close() throws IOException {
    tables.close();
  }

  @Test
  void the_sql_of_the_page_does_what_it_says_in_the_sql_client() throws IOException {
    create("orders", "id", PrimaryKeyType.INTEGER);
    create("customers", "name", PrimaryKeyType.STRING);
    create("city_totals", "city", PrimaryKeyType.STRING);
    List<String> blocks = new ArrayList<>();
    String page = Files.readString(Path.of("../../docs/guides/flink.md"));
    Matcher block = BLOCK.matcher(page.replace("localhost:7650", tables.endpoint()));
    while (block.find()) {
      blocks.add(block.group(1));
    }
    assertThat(blocks).hasSize(3);
    String first = blocks.get(0);
    assertThat(first).contains(TOTALS);
    // Only that SELECT waits until the job has seen what the statements before it did.
    var unused = FLINK.sql(first.replace(TOTALS, ""));
    StandaloneFlink.until(
        () -> "" + tables.rows("city_totals"),
        () ->
            tables.rows("city_totals").stream()
                .map(StandaloneFlinkTest::text)
                .toList()
                .equals(List.of("Turin 2 17")));
    String declarations = first.substring(0, first.indexOf("SET "));
    String batch =
        """
        SET 'sql-client.execution.result-mode' = 'tableau';
        SET 'execution.runtime-mode' = 'batch';
        """;
    String said = FLINK.sql(declarations + batch + TOTALS + "\n" + blocks.get(1) + blocks.get(2));
    Matcher shown = Pattern.compile("```\\n(\\+--.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(shown.find()).isTrue();
    assertThat(said).contains(shown.group(1));
    assertThat(said).as("the lookup join").containsPattern("\\| +3 \\| Turin \\|");
    assertThat(said).as("DESCRIBE").contains("|       id | BIGINT | FALSE | PRI(id) |");
    assertThat(said).as("the catalog's orders").contains("|  1 |     11 |      ada |");
    assertThat(said).doesNotContain("bob");
    assertThat(FLINK.rest().running()).as("the job that keeps the totals").hasSize(1);
    FLINK.rest().running().forEach(FLINK::cancel);
  }

  private static String text(Row row) {
    return row.primaryKey().getPrimaryKeyColumns().get(0).getValue().asString()
        + " "
        + row.value("orders").orElseThrow().asLong()
        + " "
        + row.value("amount").orElseThrow().asLong();
  }

  private static void create(String table, String key, PrimaryKeyType type) {
    tables.create(table, List.of(new PrimaryKeySchema(key, type)));
  }

  @Test
  void sums_are_exact_when_a_task_manager_is_killed_and_when_a_savepoint_is_rescaled()
      throws Exception {
    String jar = JobJar.write(FLINK.home(), SumJob.class).toString();
    List<String> program =
        List.of(
            "--class",
            SumJob.class.getName(),
            jar,
            tables.endpoint(),
            Numbers.NUMBERS,
            Numbers.SUMS);
    try (Numbers numbers = new Numbers(tables)) {
      String job = FLINK.run(with(List.of("--parallelism", "2"), program));
      numbers.awaitFlow(5_000);
      StandaloneFlink.until(() -> "a checkpoint", () -> FLINK.rest().checkpoints(job) > 1);
      Set<String> managers = new TreeSet<>(FLINK.rest().managers(job));
      assertThat(managers).isNotEmpty();
      FLINK.killManager(managers.iterator().next());
      FLINK.startManager();
      StandaloneFlink.until(
          () -> "a job that has taken up its checkpoint",
          () -> FLINK.rest().restores(job) > 0 && !FLINK.rest().managers(job).isEmpty());
      numbers.awaitFlow(5_000);
      FLINK.awaitSlots(2 * StandaloneFlink.SLOTS);

      String savepoint = FLINK.stop(job);
      // The second time the connector is the job's own and not the cluster's.
      List<String> restored =
          List.of(
              "--parallelism",
              "4",
              "--fromSavepoint",
              savepoint,
              "--classpath",
              FLINK.connector().toUri().toString());
      String rescaled = FLINK.run(with(restored, program));
      numbers.awaitFlow(5_000);
      StandaloneFlink.until(
          () -> "a job on both task managers", () -> FLINK.rest().managers(rescaled).size() == 2);
      Map<Long, Numbers.Sum> written = numbers.end();
      numbers.awaitSummed(numbers.count());
      var unused = FLINK.stop(rescaled);
      assertThat(numbers.sums()).isEqualTo(written);
    }
  }

  @Test
  void rates_are_printed_where_their_job_was_submitted() throws IOException {
    create("rated", "id", PrimaryKeyType.INTEGER);
    int rows = 500;
    for (long id = 0; id < rows; id++) {
      tables.write(
          "rated",
          List.of(
              new RowPutChange(
                  PrimaryKey.builder().add("id", id).build(),
                  List.of(new Column("v", ColumnValue.fromLong(id))))));
    }
    List<String> options =
        List.of("--server", tables.endpoint(), "--table", "rated", "--start", "EARLIEST");
    String said =
        FLINK.runToEnd(
            with(
                List.of(FLINK.rates().toString()),
                with(options, List.of("--interval", "1s", "--until-idle", "2s"))));
    List<JsonObject> lines =
        said.lines()
            .filter(line -> line.startsWith("{"))
            .map(line -> JsonParser.parseString(line).getAsJsonObject())
            .toList();
    JsonObject summary = lines.get(lines.size() - 1);
    assertThat(summary.get("kind").getAsString()).isEqualTo("summary");
    assertThat(summary.get("rows").getAsInt()).isEqualTo(rows);
    assertThat(
            lines.stream()
                .filter(line -> line.get("kind").getAsString().equals("interval"))
                .mapToInt(line -> line.get("rowsPerSecond").getAsInt())
                .sum())
        .as("windows of a second")
        .isEqualTo(rows);
  }

  private static List<String> with(List<String> options, List<String> program) {
    List<String> all = new ArrayList<>(options);
    all.addAll(program);
    return all;
  }
}
