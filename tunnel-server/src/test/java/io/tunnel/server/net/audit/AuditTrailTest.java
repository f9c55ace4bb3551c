package io.tunnel.server.net.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.server.Logged;
import io.tunnel.server.net.audit.AuditTrail.Clock;
import io.tunnel.server.net.audit.AuditTrail.Entry;
import io.tunnel.server.net.audit.AuditTrail.Settings;
import io.tunnel.server.net.audit.AuditTrail.Who;
import io.tunnel.server.net.audit.AuditTrail.Written;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lines come to the disk, and what becomes of those that do not. */
final class AuditTrailTest {

  private static final Settings SMALL = new Settings(Written.REFUSED, 64 * 1024, 3);

  @TempDir private Path data;
  private final AtomicLong nanos = new AtomicLong();
  private final Queue<Runnable> writerTasks = new ArrayDeque<>();
  private boolean isWriterGone;

  private AuditTrail trail(Settings settings) {
    return new AuditTrail(
        settings,
        data.resolve("audit"),
        Optional.of("n1"),
        new Clock(nanos::get, () -> 1_000 + nanos.get() / 1_000_000),
        this::execute);
  }

  private void execute(Runnable task) {
    if (isWriterGone) {
      throw new RejectedExecutionException();
    }
    writerTasks.add(task);
  }

  private void runWriter() {
    for (Runnable task = writerTasks.poll(); task != null; task = writerTasks.poll()) {
      task.run();
    }
  }

  private static Entry entry(String resource) {
    return new Entry(
        new Who(Optional.of("billing"), Optional.of("10.0.0.7:5")),
        "DROP_TABLE",
        Optional.of(resource),
        Optional.empty(),
        "ok");
  }

  private List<JsonObject> lines() throws IOException {
    return lines("audit.jsonl");
  }

  private List<JsonObject> lines(String file) throws IOException {
    return Files.readAllLines(data.resolve("audit").resolve(file)).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }

  private List<String> files() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(data.resolve("audit"))) {
      files.forEach(file -> names.add(String.valueOf(file.getFileName())));
    }
    return names.stream().sorted().toList();
  }

  @Test
  void a_line_says_who_what_and_what_came_of_it() throws IOException {
    AuditTrail trail = trail(SMALL);
    trail.write(entry("table:orders"));
    runWriter();
    assertThat(Files.readString(data.resolve("audit/audit.jsonl")))
        .isEqualTo(
            "{\"time\":\"1970-01-01T00:00:01Z\",\"node\":\"n1\",\"principal\":\"billing\","
                + "\"address\":\"10.0.0.7:5\",\"operation\":\"DROP_TABLE\","
                + "\"resource\":\"table:orders\",\"outcome\":\"ok\"}\n");
    assertThat(trail.figures()).isEqualTo(new AuditTrail.Figures(1, 0, false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\n{\"outcome\":\"ok\"}",
        "a\r\u001b[2Jb",
        "a\u0000b",
        "a\u2028b",
        "a\u0085b",
        "a\u202eb",
        "a\",\"outcome\":\"x",
        "a\ud800b"
      })
  void no_name_forges_a_line_or_a_member(String name) throws IOException {
    AuditTrail trail = trail(SMALL);
    trail.write(entry(name));
    runWriter();
    String text = Files.readString(data.resolve("audit/audit.jsonl"));
    assertThat(text.chars().filter(c -> c == '\n')).hasSize(1);
    assertThat(text.substring(0, text.length() - 1).chars()).allMatch(c -> c >= ' ' && c < 0x7f);
    assertThat(lines().get(0).get("outcome").getAsString()).isEqualTo("ok");
    assertThat(lines().get(0).get("resource").getAsString()).hasSameSizeAs(name);
  }

  @Test
  void a_name_of_a_mebibyte_is_cut() throws IOException {
    AuditTrail trail = trail(SMALL);
    trail.write(entry("x".repeat(1 << 20)));
    trail.write(entry("y".repeat(AuditLines.TEXT_CHARS_MAX)));
    trail.write(entry("z".repeat(AuditLines.TEXT_CHARS_MAX + 1)));
    runWriter();
    assertThat(lines())
        .extracting(line -> line.get("resource").getAsString())
        .containsExactly(
            "x".repeat(AuditLines.TEXT_CHARS_MAX) + "...",
            "y".repeat(AuditLines.TEXT_CHARS_MAX),
            "z".repeat(AuditLines.TEXT_CHARS_MAX) + "...");
  }

  @Test
  void files_are_of_their_size_and_the_oldest_go() throws IOException {
    AuditTrail trail = trail(SMALL);
    for (int i = 0; i < 2_000; i++) {
      trail.write(entry("table:" + i));
      if (i % 100 == 0) {
        runWriter();
      }
    }
    runWriter();
    assertThat(files()).hasSize(3).contains("audit.jsonl");
    List<String> kept = new ArrayList<>();
    for (String file : List.of(files().get(0), files().get(1), "audit.jsonl")) {
      assertThat(Files.size(data.resolve("audit").resolve(file))).isBetween(1L, 64L * 1024);
      lines(file).forEach(line -> kept.add(line.get("resource").getAsString()));
    }
    assertThat(kept).endsWith("table:1998", "table:1999");
    assertThat(kept).hasSizeBetween(700, 1_300);
    assertThat(kept.get(0)).isEqualTo("table:" + (2_000 - kept.size()));
    assertThat(trail.figures().written()).isEqualTo(2_000);
  }

  @Test
  void no_other_line_pushes_out_what_administrators_did() throws IOException {
    AuditTrail trail = trail(SMALL);
    trail.writeAdministration(entry("table:first"));
    for (int i = 0; i < 2_000; i++) {
      trail.write(entry("table:" + i));
      if (i % 100 == 0) {
        runWriter();
      }
    }
    trail.writeAdministration(entry("table:last"));
    runWriter();
    assertThat(lines("administration.jsonl"))
        .extracting(line -> line.get("resource").getAsString())
        .containsExactly("table:first", "table:last");
    assertThat(files()).hasSize(4);
  }

  @Test
  void the_list_of_a_request_that_was_done_is_whole_and_what_waits_is_bounded_in_bytes()
      throws IOException {
    AuditTrail trail = trail(new Settings(Written.ALL, 64L << 20, 2));
    String list = "m".repeat(AuditLines.LIST_CHARS_MAX);
    Entry done =
        new Entry(
            new Who(Optional.of("billing"), Optional.empty()),
            "CHANGE_GROUP",
            Optional.of("group:ops"),
            Optional.of(list),
            "ok");
    int room = AuditTrail.WAITING_BYTES_MAX / (AuditLines.LIST_CHARS_MAX + 1_000);
    for (int i = 0; i < room; i++) {
      trail.write(done);
    }
    assertThat(trail.figures().missing()).isZero();
    for (int i = 0; i < 10; i++) {
      trail.write(done);
    }
    assertThat(trail.figures().missing()).isPositive();
    runWriter();
    assertThat(lines().stream().filter(line -> line.has("detail")))
        .allMatch(line -> line.get("detail").getAsString().equals(list))
        .hasSizeGreaterThanOrEqualTo(room);
    trail.write(done);
    runWriter();
    assertThat(trail.figures().missing()).as("room again").isLessThanOrEqualTo(10);
  }

  @Test
  void a_server_goes_on_where_its_predecessor_ended() throws IOException {
    AuditTrail first = trail(SMALL);
    first.write(entry("table:a"));
    first.close();
    Files.writeString(
        data.resolve("audit/audit.jsonl"), "{\"time\":\"19", StandardOpenOption.APPEND);
    AuditTrail second = trail(SMALL);
    second.write(entry("table:b"));
    second.close();
    assertThat(Files.readAllLines(data.resolve("audit/audit.jsonl"), StandardCharsets.UTF_8))
        .hasSize(3)
        .element(2)
        .asString()
        .contains("table:b");
  }

  @Test
  void what_finds_no_room_in_the_queue_is_counted_and_said() throws IOException {
    AuditTrail trail = trail(new Settings(Written.ALL, 64L << 20, 2));
    for (int i = 0; i < AuditTrail.WAITING_MAX; i++) {
      trail.write(entry("table:a"));
    }
    assertThat(trail.figures().missing()).isZero();
    trail.write(entry("table:b"));
    assertThat(trail.figures().missing()).isEqualTo(1);
    runWriter();
    assertThat(lines()).hasSize(AuditTrail.WAITING_MAX + 1);
    assertThat(lines().stream().filter(line -> line.has("missing")))
        .singleElement()
        .extracting(line -> line.get("missing").getAsLong())
        .isEqualTo(1L);
  }

  @Test
  void a_disk_that_takes_nothing_is_said_once_and_ends_nothing() throws IOException {
    Path inTheWay = data.resolve("audit");
    Files.createFile(inTheWay);
    AuditTrail trail = trail(SMALL);
    try (Logged logged = Logged.of(AuditTrail.class)) {
      for (int i = 0; i < 3; i++) {
        trail.write(entry("table:a"));
        runWriter();
      }
      assertThat(logged.at(Level.ERROR))
          .filteredOn(line -> line.contains("cannot be written"))
          .hasSize(1);
      assertThat(trail.figures()).isEqualTo(new AuditTrail.Figures(0, 3, true));
      Files.delete(inTheWay);
      trail.tick();
      runWriter();
      assertThat(lines())
          .singleElement()
          .extracting(line -> line.get("missing").getAsInt())
          .isEqualTo(3);
      assertThat(trail.figures().isFailing()).isFalse();
    }
  }

  @Test
  void a_stranger_has_a_line_and_a_count_for_each_window() throws IOException {
    AuditTrail trail = trail(SMALL);
    for (int i = 0; i < 10_000; i++) {
      trail.writeStranger(entry("none"), "10.0.0.7");
    }
    nanos.addAndGet(RepeatsCore.WINDOW_NANOS);
    trail.tick();
    runWriter();
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(1).get("refusals").getAsInt()).isEqualTo(9_999);
    assertThat(lines().get(1).get("address").getAsString()).isEqualTo("10.0.0.7");
    assertThat(lines().get(1).get("since").getAsString()).isEqualTo("1970-01-01T00:00:01Z");
  }

  @Test
  void strangers_of_many_addresses_have_no_more_lines_than_are_allowed() throws IOException {
    AuditTrail trail = trail(SMALL);
    for (int i = 0; i < 10_000; i++) {
      trail.writeStranger(entry("none"), "net " + i);
    }
    trail.close();
    assertThat(lines()).hasSize(AuditTrail.STRANGERS_MAX + 1);
    JsonObject others = lines().get(AuditTrail.STRANGERS_MAX);
    assertThat(others.has("address")).isFalse();
    assertThat(others.get("refusals").getAsInt()).isEqualTo(10_000 - AuditTrail.STRANGERS_MAX);
  }

  @Test
  void a_caller_who_is_refused_all_the_time_is_counted() throws IOException {
    AuditTrail trail = trail(SMALL);
    for (int i = 0; i <= AuditTrail.REFUSALS_MAX; i++) {
      trail.writeRefusal(entry("table:" + i), "billing");
    }
    isWriterGone = true;
    trail.close();
    assertThat(lines()).hasSize(AuditTrail.REFUSALS_MAX + 1);
    assertThat(lines().get(AuditTrail.REFUSALS_MAX).get("caller").getAsString())
        .isEqualTo("billing");
  }

  @Test
  void settings_that_cannot_be_are_refused() {
    assertThatThrownBy(() -> new Settings(null, 1 << 20, 2)).hasMessageContaining("refused");
    assertThatThrownBy(() -> new Settings(Written.ALL, 65_535, 2)).hasMessageContaining("65535");
    assertThatThrownBy(() -> new Settings(Written.ALL, (16L << 30) + 1, 2))
        .hasMessageContaining("16 GiB");
    assertThatThrownBy(() -> new Settings(Written.ALL, 65_536, 0)).hasMessageContaining("filesMax");
    assertThatThrownBy(() -> new Settings(Written.ALL, 65_536, 1_001)).hasMessageContaining("1000");
    assertThat(new Settings(Written.ALL, 65_536, 1).filesMax()).isEqualTo(1);
    assertThat(new Settings(Written.ALL, 16L << 30, 1_000).filesMax()).isEqualTo(1_000);
  }
}
