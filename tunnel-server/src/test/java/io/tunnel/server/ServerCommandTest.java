package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What a server is told by its options and its file of settings, and what it cannot be told. */
class ServerCommandTest {

  @TempDir private Path directory;

  private void requireRefused(String option, String content, String said) throws IOException {
    Path file = Files.writeString(directory.resolve("settings"), content);
    Path data = directory.resolve("data");
    StringWriter err = new StringWriter();
    String line =
        "--data %s --log kafka --bootstrap 127.0.0.1:1 --node n1 --session-ms 4s %s %s"
            .formatted(data, option, file);
    CommandLine command =
        new CommandLine(new ServerCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setErr(new PrintWriter(err));
    assertThat(command.execute(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(said);
    assertThat(data).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"acks", "client.id", "compression.type", "request.timeout.ms", "linger.ms"})
  void a_setting_of_clients_that_the_server_sets_is_a_wrong_option(String name) throws IOException {
    requireRefused(
        "--kafka-config",
        name + "=1",
        "--kafka-config cannot set " + name + ", which the server sets itself");
  }

  @Test
  void rows_that_may_be_older_than_a_session_are_a_wrong_setting() throws IOException {
    requireRefused(
        "--config",
        "{'log':{'replicas':{'times':{'readAgeMsMax':4000}}}}".replace('\'', '"'),
        "log.replicas.times.readAgeMsMax is less than the 4000 ms of --session-ms, not 4000");
  }

  @Test
  void a_host_without_an_address_is_a_wrong_option() {
    StringWriter err = new StringWriter();
    CommandLine command = new CommandLine(new ServerCommand()).setErr(new PrintWriter(err));
    String data = directory.resolve("data").toString();
    assertThat(
            CommandRunner.run(
                command, Diagnosis.standard(), "--data", data, "--port", "0", "--host", "no..host"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("no address is known for the host 'no..host' of --host");
  }

  private ServerConfig settings(String... options) throws IOException {
    ServerCommand command = new ServerCommand();
    List<String> arguments = new ArrayList<>(List.of("--data", "data"));
    arguments.addAll(List.of(options));
    var unused =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .parseArgs(arguments.toArray(String[]::new));
    return command.settings();
  }

  private static ServerConfig defaults() {
    return ServerConfig.defaults(Runtime.getRuntime().availableProcessors());
  }

  /** Settings of which each that an option is about differs from its default. */
  private Path file() throws IOException {
    return Files.writeString(
        directory.resolve("settings"),
        """
        {"net": {"host": "127.0.0.2", "port": 1, "httpPort": 2, "threads": 77, "connectionsMax": 4,
            "isInsecure": true, "httpHosts": "n1", "limits": {"idleMsMax": 20000}},
          "security": {"directory": "there"},
          "audit": {"requests": "all", "bytesMax": 100000, "filesMax": 3}}
        """);
  }

  private static void requireOther(Record one, Record other) throws ReflectiveOperationException {
    for (RecordComponent component : one.getClass().getRecordComponents()) {
      assertThat(component.getAccessor().invoke(one))
          .as(component.getName())
          .isNotEqualTo(component.getAccessor().invoke(other));
    }
  }

  @Test
  void without_options_each_setting_is_that_of_the_file_or_the_default() throws Exception {
    assertThat(settings()).isEqualTo(defaults());
    ServerConfig ofFile = defaults().withFile(file());
    requireOther(ofFile.net(), defaults().net());
    requireOther(ofFile.audit(), defaults().audit());
    requireOther(ofFile.security(), defaults().security());
    assertThat(settings("--config", file().toString())).isEqualTo(ofFile);
  }

  static Stream<Arguments> options() {
    return Stream.of(
        told("--host 127.0.0.3", of -> of.withNet(of.net().at("127.0.0.3", 1, 2))),
        told("--port 7", of -> of.withNet(of.net().at("127.0.0.2", 7, 2))),
        told("--http-port -1", of -> of.withNet(of.net().at("127.0.0.2", 1, -1))),
        told("--insecure", of -> of),
        told("--security here", of -> of.withSecurity(new SecurityConfig("here"))),
        told("--auth", of -> of.withSecurity(new SecurityConfig("data/security"))),
        told(
            "--audit refused",
            of -> of.withAudit(new AuditTrail.Settings(AuditTrail.Written.REFUSED, 100_000, 3))));
  }

  private static Arguments told(String option, UnaryOperator<ServerConfig> effect) {
    return Arguments.of(option, effect);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("options")
  void an_option_wins_over_the_file_and_leaves_all_other_settings(
      String option, UnaryOperator<ServerConfig> effect) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(option.split(" ")));
    arguments.addAll(List.of("--config", file().toString()));
    assertThat(settings(arguments.toArray(String[]::new)))
        .isEqualTo(effect.apply(defaults().withFile(file())));
  }

  @Test
  void a_server_is_insecure_by_its_option_alone() throws IOException {
    assertThat(settings().net().isInsecure()).isFalse();
    assertThat(settings("--insecure").net().isInsecure()).isTrue();
  }
}
