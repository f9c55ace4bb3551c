package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What a server cannot be told. */
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
}
