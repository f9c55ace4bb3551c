package io.tunnel.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogbackConfiguratorTest {

  private final LoggerContext context = new LoggerContext();
  @TempDir private Path directory;
  private Path path;

  @BeforeEach
  void nameFile() {
    // SLF4J's provider does so for the context of a program.
    context.setMDCAdapter(new LogbackMDCAdapter());
    path = directory.resolve("server.log");
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  private void configure(boolean isJson, long bytesMax, long totalBytesMax) {
    LogSettings.Rotated file = new LogSettings.Rotated(path, bytesMax, 14, totalBytesMax);
    LogLevels levels = LogLevels.ordinary(LogLevel.INFO);
    LogbackConfigurator.configure(context, new LogSettings(levels, isJson, Optional.of(file)));
  }

  @Test
  void a_line_says_when_where_how_bad_and_what() throws IOException {
    configure(false, 1 << 20, 1 << 20);
    context.getLogger("io.tunnel.server.Shard").warn("slow by {} ms", 7);
    assertThat(Files.readString(path))
        .matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}\\S+ \\[.+] WARN Shard - slow by 7 ms\\R");
  }

  @Test
  void what_a_client_says_begins_no_line_and_commands_no_terminal() throws IOException {
    configure(false, 1 << 20, 1 << 20);
    String hostile = "t\r\n2026-01-01T00:00:00.000Z [x] ERROR Forged - \u001b[2J\u202e\u2028";
    Exception thrown = new IllegalStateException(hostile, new IOException(hostile));
    thrown.addSuppressed(new IOException(hostile));
    context.getLogger("io.tunnel.server.Shard").warn("worker {} failed", hostile, thrown);
    String log = Files.readString(path);
    assertThat(log).contains("worker t\\r\\n2026").contains("IllegalStateException: t\\r\\n");
    assertThat(log).contains("Caused by: ").contains("Suppressed: ").contains("\tat ");
    assertThat(log.lines()).noneMatch(line -> line.startsWith("2026-01-01"));
    assertThat(log.codePoints().filter(c -> c != '\n' && c != '\t'))
        .noneMatch(c -> Character.isISOControl(c) || c == 0x202e || c == 0x2028);
  }

  @Test
  void a_line_of_json_is_one_object_also_with_an_exception_and_line_ends() throws IOException {
    configure(true, 1 << 20, 1 << 20);
    context.getLogger("a.B").error("bad \"{}\"", "x\ny", new IllegalStateException("why\nso"));
    List<String> lines = Files.readAllLines(path);
    assertThat(lines).hasSize(1);
    JsonObject line = JsonParser.parseString(lines.get(0)).getAsJsonObject();
    assertThat(line.get("level").getAsString()).isEqualTo("ERROR");
    assertThat(line.get("loggerName").getAsString()).isEqualTo("a.B");
    assertThat(line.get("formattedMessage").getAsString()).isEqualTo("bad \"x\ny\"");
    assertThat(line.get("timestamp").getAsLong()).isPositive();
    assertThat(line.getAsJsonObject("throwable").get("message").getAsString()).isEqualTo("why\nso");
  }

  @Test
  void a_full_file_is_put_aside() throws IOException {
    List<Path> all = filled(1 << 20);
    assertThat(all).hasSizeGreaterThan(50).contains(path);
    assertThat(all).allMatch(file -> file.getFileName().toString().startsWith("server.log"));
    for (Path file : all) {
      assertThat(Files.size(file)).isLessThan(3 * LogSettings.Rotated.BYTES_MIN);
    }
    assertThat(Files.readString(path)).contains("line 1999 ").doesNotContain("line 0 ");
  }

  @Test
  void the_oldest_files_go() throws IOException {
    long bytes = 0;
    for (Path file : filled(4 * LogSettings.Rotated.BYTES_MIN)) {
      bytes += Files.size(file);
    }
    assertThat(bytes).isLessThan(8 * LogSettings.Rotated.BYTES_MIN);
    // No more goes than has to.
    assertThat(bytes).isGreaterThan(2 * LogSettings.Rotated.BYTES_MIN);
    assertThat(Files.readString(path)).contains("line 1999 ");
  }

  /** Also those that were put aside before a long rest, or by a server that kept them longer. */
  @Test
  void no_file_is_kept_for_more_days_than_asked_for() throws IOException {
    LocalDate today = LocalDate.now(ZoneId.systemDefault());
    for (int days : List.of(1, 14, 15, 40, 60, 700)) {
      Files.writeString(directory.resolve(aside(today.minusDays(days))), "old");
    }
    for (String foreign : List.of("server.log.old", "server.log.2020-02-30.1")) {
      Files.writeString(directory.resolve(foreign), "of somebody else");
    }
    configure(false, 1 << 20, 1 << 20);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "server.log",
              aside(today.minusDays(1)),
              aside(today.minusDays(14)),
              "server.log.old",
              "server.log.2020-02-30.1");
    }
  }

  private static String aside(LocalDate day) {
    return "server.log." + day + ".0";
  }

  /** The files after 2,000 lines, some 300 KB. */
  private List<Path> filled(long totalBytesMax) throws IOException {
    configure(false, LogSettings.Rotated.BYTES_MIN, totalBytesMax);
    Logger logger = context.getLogger("a");
    for (int i = 0; i < 2_000; i++) {
      logger.info("line {} {}", i, "x".repeat(100));
    }
    context.stop();
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void levels_that_are_applied_are_all_there_are() {
    configure(false, 1 << 20, 1 << 20);
    Logger netty = context.getLogger("io.netty");
    Logger loop = context.getLogger("io.netty.Loop");
    assertThat(netty.isInfoEnabled()).isFalse();
    assertThat(context.getLogger("io.tunnel").isDebugEnabled()).isFalse();
    LogbackConfigurator.apply(context, LogLevels.parse("warn,io.tunnel=debug,io.netty=off"));
    assertThat(loop.isErrorEnabled()).isFalse();
    assertThat(context.getLogger("io.tunnel.x").isDebugEnabled()).isTrue();
    assertThat(context.getLogger("other").isInfoEnabled()).isFalse();
    LogbackConfigurator.apply(context, LogLevels.parseLines(""));
    assertThat(loop.getEffectiveLevel()).isEqualTo(Level.INFO);
    assertThat(context.getLogger("io.tunnel.x").isDebugEnabled()).isFalse();
  }
}
