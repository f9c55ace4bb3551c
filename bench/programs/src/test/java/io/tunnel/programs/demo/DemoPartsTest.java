package io.tunnel.programs.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.stress.file.BadLines;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.rows.RowSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of the demo that need no server. */
class DemoPartsTest {

  @TempDir private Path directory;

  private FileLoad load(String name, String text, OptionalLong rows, String... key)
      throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    return FileLoad.open(
        new RowFile(file, Optional.empty()),
        List.of(key),
        typesOf(text),
        rows,
        new BadLines(BadLines.Policy.FAIL, shown -> {}));
  }

  @Test
  void what_can_be_read_once_is_refused_before_it_is_read() throws Exception {
    Path pipe = directory.resolve("pipe.csv");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    BadLines badLines = new BadLines(BadLines.Policy.FAIL, shown -> {});
    for (Path file : List.of(pipe, Path.of("-"))) {
      RowFile rows = new RowFile(file, Optional.empty());
      assertThatThrownBy(
              () -> FileLoad.open(rows, List.of(), Map.of(), OptionalLong.empty(), badLines))
          .hasMessageContaining(file.equals(pipe) ? "a pipe can be" : "standard input can be")
          .hasMessageContaining("read once: give a file");
    }
  }

  /** Types of the columns n and x, if the first line has them. */
  private static Map<String, ColumnType> typesOf(String text) {
    Map<String, ColumnType> types =
        new HashMap<>(Map.of("n", ColumnType.INTEGER, "x", ColumnType.DOUBLE));
    String first = text.lines().findFirst().orElse("");
    types.keySet().removeIf(name -> !first.matches(".*\\b" + name + "\\b.*"));
    return types;
  }

  private static List<RowChange> read(DemoLoad load, int limit) {
    RowSource source = load.sources().get(0);
    List<RowChange> rows = new ArrayList<>();
    for (RowChange row = source.next(); row != null && rows.size() < limit; row = source.next()) {
      rows.add(row);
    }
    return rows;
  }

  @Test
  void a_file_makes_a_table_with_a_hash_before_its_key() throws IOException {
    try (FileLoad load = load("a.csv", "name,n,v\nAnn,1,x\nBob,2,y\n", OptionalLong.empty())) {
      assertThat(load.primaryKey())
          .containsExactly(
              new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
              new PrimaryKeySchema("name", PrimaryKeyType.STRING));
      List<RowChange> rows = read(load, 100);
      assertThat(rows).hasSize(2);
      assertThat(rows.get(0).primaryKey().toString()).matches("\\(hash=[0-9a-f]{8}, name=Ann\\)");
      try (Stream<PrimaryKey> keys = load.keys()) {
        assertThat(keys).isEqualTo(rows.stream().map(RowChange::primaryKey).toList());
      }
    }
    try (FileLoad load = load("b.csv", "name,n\nAnn,1\n", OptionalLong.empty(), "n", "name")) {
      assertThat(load.primaryKey().get(1))
          .isEqualTo(new PrimaryKeySchema("n", PrimaryKeyType.INTEGER));
      assertThat(read(load, 9).get(0).primaryKey().toString()).endsWith(", n=1, name=Ann)");
    }
  }

  @Test
  void a_file_is_repeated_when_more_rows_are_asked_for_than_it_has() throws IOException {
    try (FileLoad load = load("a.csv", "name\na\nb\nc\n", OptionalLong.of(7))) {
      assertThat(load.rows()).hasValue(7);
      assertThat(read(load, 7).stream().map(row -> row.primaryKey().getPrimaryKeyColumn("name")))
          .extracting(column -> column.getValue().asString())
          .containsExactly("a", "b", "c", "a", "b", "c", "a");
    }
    try (FileLoad empty = load("b.csv", "name\n", OptionalLong.of(7))) {
      assertThatThrownBy(() -> read(empty, 7)).hasMessageContaining("b.csv has no row");
    }
  }

  @Test
  void keys_that_no_table_can_have_are_refused() {
    OptionalLong all = OptionalLong.empty();
    assertThatThrownBy(() -> load("a.csv", "a,b\n1,2\n", all, "c"))
        .hasMessageContaining("--key 'c' should be one of the file's columns")
        .hasMessageContaining("[a, b]");
    assertThatThrownBy(() -> load("a.csv", "hash,b\n1,2\n", all))
        .hasMessageContaining("but not 'hash'");
    assertThatThrownBy(() -> load("a.csv", "a,b,c,d\n1,2,3,4\n", all, "a", "b", "c", "d"))
        .hasMessageContaining("at most 3 columns");
    assertThatThrownBy(() -> load("a.csv", "x,b\n1,2\n", all))
        .hasMessageContaining("INTEGER, STRING or BINARY, not DOUBLE");
    assertThatThrownBy(() -> load("a.jsonl", "", all)).hasMessageContaining("no row");
  }

  @Test
  void generated_rows_name_every_key_that_they_may_write() {
    GeneratedLoad load = new GeneratedLoad(500, 20, 2, 1);
    assertThat(load.sources()).hasSize(2);
    try (Stream<PrimaryKey> keys = load.keys()) {
      assertThat(keys.toList())
          .hasSize(20)
          .containsAll(read(load, 500).stream().map(RowChange::primaryKey).toList());
    }
  }

  @Test
  void the_summary_is_one_flat_json_object_and_lines_for_people() {
    DemoSummary good =
        new DemoSummary(
            new DemoSummary.Rows(1_000, 1_000, 0, 0, 0, 0, 0, 0, true),
            new DemoSummary.Rates(500, 400, 0, 2.5, 3.5, 9, 83.25, 4.5, 6.5, 8, 2, 12_500),
            new DemoSummary.Cost(1.25, 0.5, 0.75, 1 << 20, 2 << 20, 3 << 20));
    JsonObject json = JsonParser.parseString(DemoCommand.toJson(good)).getAsJsonObject();
    assertThat(json.keySet())
        .contains("rowsWritten", "rowsConsumed", "orderViolations", "duplicates", "missing")
        .contains("writeRowsPerSecond", "readRowsPerSecond", "latencyP50Ms", "latencyP99Ms")
        .contains("partitions", "elapsedMs", "verified", "bytesOnDisk", "heapUsedMaxBytes")
        .contains("serverCpuSecondsPerMillionRows", "writerCpuSecondsPerMillionRows")
        .contains("readerCpuSecondsPerMillionRows");
    assertThat(json.get("verified").getAsBoolean()).isTrue();
    assertThat(json.entrySet())
        .allSatisfy(e -> assertThat(e.getValue().isJsonPrimitive()).isTrue());
    assertThat(String.join("\n", good.lines()))
        .contains("VERIFIED", "exactly once, in order", "8 partitions")
        .contains("memory of the server", "bytes on disk")
        .containsPattern("callback before acknowledgement +83.25 % of rows")
        .containsPattern("acknowledgement to callback, p50 +callback first")
        .containsPattern("acknowledgement to callback, p99 +2.50 ms")
        .containsPattern("write to callback, p50 +4.50 ms")
        .doesNotContain(" 0.00 ms")
        .doesNotContain("in doubt");
    DemoSummary elsewhere =
        new DemoSummary(
            good.rows(), good.rates(), new DemoSummary.Cost(0, 0.5, 0.75, 1 << 20, 0, 0));
    assertThat(String.join("\n", elsewhere.lines())).doesNotContain("server", "disk");
    DemoSummary bad =
        new DemoSummary(
            new DemoSummary.Rows(1_000, 999, 1, 0, 0, 0, 3, 4, false), good.rates(), good.cost());
    assertThat(String.join("\n", bad.lines())).contains("NOT VERIFIED", "in doubt");
  }

  @Test
  void temporary_data_is_deleted_and_what_the_user_named_never() throws IOException {
    DataDirectory temporary = new DataDirectory(Optional.empty());
    Files.createDirectories(temporary.data().resolve("log"));
    Files.write(temporary.data().resolve("log/a"), new byte[100]);
    Files.write(temporary.data().resolve("b"), new byte[23]);
    assertThat(temporary.bytes()).isEqualTo(123);
    temporary.delete();
    assertThat(temporary.data()).doesNotExist();
    assertThat(temporary.logs()).doesNotExist();

    Path given = Files.createDirectory(directory.resolve("mine"));
    Files.write(given.resolve("a"), new byte[5]);
    DataDirectory named = new DataDirectory(Optional.of(given));
    assertThat(named.data()).isEqualTo(given);
    named.delete();
    assertThat(given.resolve("a")).exists();
  }

  @Test
  void what_a_killed_demo_left_is_deleted_by_the_next_and_nothing_else() throws IOException {
    Path killed = Files.createDirectories(directory.resolve("tunnel-demo-1/data")).getParent();
    Files.createFile(killed.resolve("temporary"));
    Path kept = Files.createDirectories(directory.resolve("tunnel-demo-2/data"));
    Path elses = Files.createDirectory(directory.resolve("elses"));
    Files.createFile(elses.resolve("temporary"));
    Files.createSymbolicLink(directory.resolve("tunnel-demo-3"), elses);
    DataDirectory running = new DataDirectory(Optional.empty(), directory);
    assertThat(killed).doesNotExist();
    DataDirectory next = new DataDirectory(Optional.empty(), directory);
    assertThat(running.logs()).exists();
    assertThat(kept).exists();
    assertThat(elses.resolve("temporary")).exists();
    assertThat(running.keep()).contains(running.data().toString());
    next.delete();
    new DataDirectory(Optional.empty(), directory).delete();
    assertThat(running.logs()).exists();
  }

  @Test
  void a_main_thread_that_fails_after_an_interrupt_keeps_nothing() throws IOException {
    DataDirectory interrupted = new DataDirectory(Optional.empty(), directory);
    Files.createDirectories(interrupted.data());
    interrupted.abandon();
    assertThat(interrupted.keep()).doesNotContain("kept");
    // With the mark of a run that has ended, the next run deletes the directory.
    assertThat(interrupted.logs().resolve("temporary")).exists();
    interrupted.delete();
    assertThat(interrupted.logs()).doesNotExist();
  }

  @Test
  void cpu_time_is_told_apart_by_side_also_of_threads_that_have_ended() throws Exception {
    ThreadCpu busy = new ThreadCpu("busy");
    ThreadCpu idle = new ThreadCpu("idle");
    long burnt = busy.call(() -> burn());
    Thread ended = busy.thread(DemoPartsTest::burn, "ended");
    ended.start();
    ended.join();
    idle.call(() -> 1);
    busy.sample();
    idle.sample();
    assertThat(busy.nanos()).isGreaterThan(burnt);
    assertThat(idle.nanos()).isLessThan(busy.nanos() / 2);
    assertThatThrownBy(
            () ->
                busy.call(
                    () -> {
                      throw new IOException("as thrown");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("as thrown");
  }

  /** Uses 50 ms of CPU time and returns how much it was. */
  private static long burn() {
    java.lang.management.ThreadMXBean threads =
        java.lang.management.ManagementFactory.getThreadMXBean();
    while (threads.getCurrentThreadCpuTime() < 50_000_000) {
      Thread.onSpinWait();
    }
    return 50_000_000;
  }
}
