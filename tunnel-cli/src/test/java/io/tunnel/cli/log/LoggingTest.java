package io.tunnel.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class LoggingTest {

  private final StringWriter err = new StringWriter();
  @TempDir private Path directory;

  @Command(name = "root")
  private static final class Root {}

  @Command(name = "tool", mixinStandardHelpOptions = true)
  private static final class Tool implements Runnable {
    @Override
    public void run() {}
  }

  @Command(name = "server", mixinStandardHelpOptions = true)
  private static final class Server implements Runnable {
    @Option(names = "--data")
    private Path data;

    @Override
    public void run() {
      assertThat(data).isNotNull();
    }
  }

  private int run(Map<String, String> environment, String... arguments) {
    CommandLine server = new CommandLine(new Server());
    Logging.equip(server);
    CommandLine root =
        new CommandLine(new Root())
            .addSubcommand(server)
            .addSubcommand(new Tool())
            .setExecutionStrategy(new Logging(environment))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(root, Diagnosis.standard(), arguments);
  }

  private int server(String... options) {
    String[] arguments = new String[options.length + 3];
    arguments[0] = "server";
    arguments[1] = "--data";
    arguments[2] = directory.toString();
    System.arraycopy(options, 0, arguments, 3, options.length);
    return run(Map.of(), arguments);
  }

  @Test
  void a_tool_logs_trouble_only_unless_it_is_told_otherwise() {
    assertThat(run(Map.of(), "tool")).isZero();
    assertThat(Logging.settings())
        .isEqualTo(LogSettings.toStandardError(LogLevels.ordinary(LogLevel.WARN)));
    assertThat(run(Map.of(), "tool", "--verbose")).isZero();
    assertThat(Logging.settings().levels()).isEqualTo(LogLevels.ordinary(LogLevel.INFO));
    assertThat(run(Map.of("TUNNEL_LOG", "debug"), "tool", "-v")).isZero();
    assertThat(Logging.settings().levels()).isEqualTo(LogLevels.ordinary(LogLevel.DEBUG));
  }

  @Test
  void a_server_logs_what_its_options_say_and_they_win_over_the_environment() {
    assertThat(server()).isZero();
    assertThat(Logging.settings())
        .isEqualTo(LogSettings.toStandardError(LogLevels.ordinary(LogLevel.INFO)));
    Path file = directory.resolve("logs").resolve("server.log");
    assertThat(
            run(
                Map.of("TUNNEL_LOG", "error"),
                ("server --data d --log-level debug --log-format JSON --log-file "
                        + file
                        + " --log-file-size 1MiB --log-file-days 3 --log-total-size 5MiB")
                    .split(" ")))
        .isZero();
    assertThat(Logging.settings().levels()).isEqualTo(LogLevels.ordinary(LogLevel.DEBUG));
    assertThat(Logging.settings().isJson()).isTrue();
    assertThat(Logging.settings().file())
        .contains(new LogSettings.Rotated(file, 1 << 20, 3, 5 << 20));
    assertThat(file).exists();
  }

  @Test
  void the_file_of_levels_beside_the_data_holds_from_the_start() throws IOException {
    Files.writeString(directory.resolve("log-levels"), "io.netty=trace");
    assertThat(server()).isZero();
    assertThat(Logging.settings().levels().byLogger())
        .containsEntry("io.netty", LogLevel.TRACE)
        .containsEntry("root", LogLevel.INFO);
  }

  /** Runs a server, and returns what it warns of. */
  private List<String> warnings(String... options) {
    Logger logger = (Logger) LoggerFactory.getLogger(Logging.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.setLevel(Level.WARN);
    logger.addAppender(appender);
    try {
      assertThat(server(options)).as(err.toString()).isZero();
    } finally {
      logger.detachAppender(appender);
      logger.setLevel(null);
    }
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void a_wrong_file_of_levels_keeps_no_server_from_its_start() throws IOException {
    Path beside = Files.writeString(directory.resolve("log-levels"), "root=loud");
    assertThat(warnings())
        .singleElement()
        .asString()
        .contains("levels are those without their file", beside.toString(), "'loud' is no level");
    assertThat(Logging.settings().levels()).isEqualTo(LogLevels.ordinary(LogLevel.INFO));
    Path named = Files.createDirectory(directory.resolve("named"));
    assertThat(warnings("--log-level", "error", "--log-levels-file", named.toString()))
        .singleElement()
        .asString()
        .contains("cannot read " + named);
    assertThat(Logging.settings().levels())
        .isEqualTo(LogLevels.ordinary(LogLevel.INFO).with(LogLevels.parse("error")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--log-level loud | 'loud' is no level; there are [off, error",
        "--log-format xml | --log-format",
        "--log-file a%d.log | --log-file has no % in its name",
        "--log-file a --log-file-size 1KiB | --log-file-size is at least 4KiB, not 1024 bytes",
        "--log-file a --log-file-size big | --log-file-size",
        "--log-file a --log-file-days 0 | --log-file-days is 1 to 3650, not 0",
        "--log-file a --log-file-days 3651 | --log-file-days is 1 to 3650, not 3651",
        "--log-file a --log-total-size 1MiB | --log-total-size is at least --log-file-size",
      })
  void what_cannot_work_is_refused(String options, String message) {
    assertThat(server(options.strip().split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message.strip());
  }

  @Test
  void a_wrong_variable_is_named_but_help_is_there_all_the_same() {
    assertThat(run(Map.of("TUNNEL_LOG", "loud"), "tool")).isEqualTo(2);
    assertThat(err.toString()).contains("TUNNEL_LOG: 'loud' is no level");
    assertThat(run(Map.of("TUNNEL_LOG", "loud"), "tool", "--help")).isZero();
  }

  @Test
  void a_file_that_cannot_be_written_ends_with_the_code_of_files() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(server("--log-file", file.resolve("server.log").toString())).isEqualTo(74);
    assertThat(err.toString())
        .contains("cannot log to '" + file.resolve("server.log") + "': '" + file + "' exists")
        .doesNotContain("Exception");
    assertThat(server("--log-file", directory.toString())).isEqualTo(74);
  }
}
