package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.EndAt;
import io.tunnel.flink.source.StartAt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options that do not fit are named, with what would be right; nothing here connects. */
class OptionsTest {

  private final TableEnvironment sql =
      TableEnvironment.create(EnvironmentSettings.inStreamingMode());

  private void declare(String columns, String options) {
    sql.executeSql("DROP TABLE IF EXISTS t");
    sql.executeSql(
        "CREATE TABLE t ("
            + columns
            + ") WITH ('connector'='tunnel', 'endpoint'='localhost:1', 'table'='t'"
            + options
            + ")");
  }

  private static final String KEYED = "id BIGINT, c STRING, PRIMARY KEY (id) NOT ENFORCED";
  private static final String KEYLESS = "id BIGINT, c STRING";

  @Test
  void an_unknown_option_is_named_with_those_that_there_are() {
    declare(KEYED, ", 'scan.modus'='base'");
    assertThatThrownBy(() -> sql.explainSql("SELECT * FROM t"))
        .hasStackTraceContaining("scan.modus")
        .hasStackTraceContaining("scan.mode")
        .hasStackTraceContaining("sink.write-mode")
        .hasStackTraceContaining("lookup.async");
  }

  @Test
  void a_wrong_value_is_named_with_those_that_there_are() {
    declare(KEYED, ", 'scan.mode'='everything'");
    assertThatThrownBy(() -> sql.explainSql("SELECT * FROM t"))
        .hasStackTraceContaining("scan.mode")
        .hasStackTraceContaining("everything")
        .hasStackTraceContaining("base-and-stream");
  }

  @Test
  void a_missing_option_is_named() {
    var unused = sql.executeSql("CREATE TABLE m (id BIGINT) WITH ('connector'='tunnel')");
    assertThatThrownBy(() -> sql.explainSql("SELECT * FROM m"))
        .hasStackTraceContaining("endpoint")
        .hasStackTraceContaining("table");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'scan.start'='latest'|starts with the rows that exist",
        "'scan.mode'='stream', 'scan.start'='timestamp'|'scan.start.timestamp-millis'",
        "'scan.mode'='stream', 'scan.start.timestamp-millis'='1'|belong together",
        "'scan.mode'='stream', 'scan.start'='timestamp', 'scan.start.timestamp-millis'='-1'|not -1",
        "'scan.mode'='stream', 'scan.start'='checkpoint'|needs 'tunnel'",
        "'scan.end'='timestamp'|'scan.end.timestamp-millis'",
        "'scan.mode'='base', 'scan.end'='latest'|ends behind the rows by itself",
        "'scan.changelog'='append'|declare the table without PRIMARY KEY",
        "'lookup.cache'='FULL'|'PARTIAL' keeps the rows",
        "'lookup.cache'='PARTIAL'|'lookup.partial-cache.max-rows'",
        "'endpoint'='a:b:c:d'|name no table",
        "'table'='no table'|name no table",
      })
  void options_that_do_not_go_together_are_told_what_does(String options, String message) {
    String given = ", " + options.replace('"', '\'');
    String keyed = KEYED;
    if (options.startsWith("'endpoint'") || options.startsWith("'table'")) {
      sql.executeSql("DROP TABLE IF EXISTS t");
      String rest = options.startsWith("'endpoint'") ? "'table'='t'" : "'endpoint'='localhost:1'";
      sql.executeSql(
          "CREATE TABLE t ("
              + keyed
              + ") WITH ('connector'='tunnel', "
              + options
              + ", "
              + rest
              + ")");
    } else {
      declare(keyed, given);
    }
    assertThatThrownBy(() -> sql.explainSql("SELECT * FROM t")).hasStackTraceContaining(message);
  }

  @Test
  void a_table_without_a_key_is_neither_written_nor_a_changelog() {
    declare(KEYLESS, ", 'scan.changelog'='full'");
    assertThatThrownBy(() -> sql.explainSql("SELECT * FROM t"))
        .hasStackTraceContaining("'scan.changelog' = 'full' needs PRIMARY KEY");
    declare(KEYLESS, "");
    assertThatThrownBy(() -> sql.explainSql("INSERT INTO t VALUES (1, 'a')"))
        .hasStackTraceContaining("declare PRIMARY KEY");
    assertThat(sql.explainSql("SELECT * FROM t")).contains("TableSourceScan");
  }

  @Test
  void an_update_write_names_a_column() {
    declare(KEYED, ", 'sink.write-mode'='update'");
    assertThatThrownBy(
            () -> sql.explainSql("INSERT INTO t (id) VALUES (1) ON CONFLICT DO DEDUPLICATE"))
        .hasStackTraceContaining("at least one column");
    assertThat(sql.explainSql("INSERT INTO t (id, c) VALUES (1, 'a') ON CONFLICT DO DEDUPLICATE"))
        .contains("Sink");
  }

  @Test
  void limits_of_the_sink_are_those_of_the_writer() {
    declare(KEYED, ", 'sink.batch-bytes-max'='1 gb'");
    assertThatThrownBy(
            () -> sql.explainSql("INSERT INTO t VALUES (1, 'a') ON CONFLICT DO DEDUPLICATE"))
        .hasStackTraceContaining("batchBytesMax");
    declare(KEYED, ", 'sink.repeat-attempts-max'='-1'");
    assertThatThrownBy(
            () -> sql.explainSql("INSERT INTO t VALUES (1, 'a') ON CONFLICT DO DEDUPLICATE"))
        .hasStackTraceContaining("repeatAttemptsMax");
  }

  @Test
  void a_scan_is_what_its_options_say() {
    assertThat(plan(false, Map.of()))
        .isEqualTo(
            new ScanPlan(
                ScanMode.BASE_AND_STREAM,
                StartAt.earliest(),
                EndAt.never(),
                ScanChangelog.FULL,
                Optional.empty(),
                64 << 20));
    assertThat(plan(false, Map.of("scan.reader-bytes-max", "1 mb")).readerBytesMax())
        .isEqualTo(1 << 20);
    for (String size : List.of("65535 b", "1025 mb", "5 gb")) {
      assertThatThrownBy(() -> plan(false, Map.of("scan.reader-bytes-max", size)))
          .hasMessageContaining("'scan.reader-bytes-max' is 64 kb to 1 gb, not");
    }
    assertThat(plan(true, Map.of()).mode()).isEqualTo(ScanMode.BASE);
    ScanPlan timed =
        plan(
            false,
            Map.of(
                "scan.mode", "stream",
                "scan.start", "timestamp",
                "scan.start.timestamp-millis", "5",
                "scan.end", "timestamp",
                "scan.end.timestamp-millis", "9",
                "tunnel", "x"));
    assertThat(timed.start()).isEqualTo(StartAt.timestamp(5));
    assertThat(timed.end()).isEqualTo(EndAt.timestamp(9));
    assertThat(timed.tunnel()).contains("x");
    assertThat(timed.isBounded()).isTrue();
    assertThatThrownBy(() -> plan(true, Map.of("scan.mode", "stream", "scan.end", "latest")))
        .hasMessageContaining("batch mode");
  }

  private static ScanPlan plan(boolean isBatch, Map<String, String> options) {
    Configuration session = new Configuration();
    if (isBatch) {
      session.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
    }
    return ScanPlan.of(Configuration.fromMap(options), session, true);
  }

  @Test
  void every_option_is_in_the_page() throws Exception {
    String page = Files.readString(Path.of("../docs/guides/flink.md"));
    TunnelTableFactory factory = new TunnelTableFactory();
    Set<ConfigOption<?>> options = new HashSet<>(factory.requiredOptions());
    options.addAll(factory.optionalOptions());
    for (ConfigOption<?> option : options) {
      assertThat(page).contains("`" + option.key() + "`");
    }
    for (String key :
        List.of("change_type", "position", "commit_time", "partition", "delete_cause")) {
      assertThat(page).contains("`" + key + "`");
    }
  }
}
