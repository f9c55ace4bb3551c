package io.tunnel.it.releases;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** A server of this build on a data directory, and the commands of an operator. */
final class Operator implements AutoCloseable {

  private final Server server;

  /** Starts a server on {@code data}, with one log and the default settings. */
  Operator(Path data) throws IOException {
    ServerConfig defaults = ServerConfig.defaults(1);
    server = Server.alone(data, defaults.withNet(defaults.net().at("127.0.0.1", 0, -1)));
  }

  /** Runs a command of the server, and returns the printed lines. */
  List<String> ask(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server=127.0.0.1:" + server.localAddress().getPort());
    return run(all.toArray(String[]::new));
  }

  /** Runs a command, which has to succeed, and returns the printed lines. */
  static List<String> run(String... arguments) {
    CommandLine command = TunnelCommand.commandLine(CommandLine.defaultFactory());
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    int exitCode = CommandRunner.run(command, Diagnosis.standard(), arguments);
    assertThat(exitCode).as("%s: %s%s", List.of(arguments), out, err).isZero();
    return out.toString().lines().toList();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
