package io.tunnel.cli;

import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * Does once what the programs do all day, so that the JVM can record which classes they load and,
 * from JDK 25 on, how their methods behave: a server on a directory of its own, a writer, a worker,
 * and the commands of an operator, all in this process. The launcher runs it at the first start and
 * keeps the recording for later starts.
 *
 * <p>Arguments: an empty directory, and for how many seconds to write; with 0 only some rows are
 * written. Prints nothing. Exit code 0 means that everything was done; after {@value #SECONDS_MAX}
 * seconds the process ends with 1.
 */
public final class RehearsalMain {

  private static final int SECONDS_MAX = 300;
  private static final int ROWS = 20_000;
  private static final String TABLE = "rehearsal";

  private final String address;
  private final String http;

  private RehearsalMain(Server server) {
    address = text(server.localAddress());
    http = text(server.httpAddress().orElseThrow());
  }

  /** Rehearses, and ends the process. */
  public static void main(String[] arguments) {
    CompletableFuture.delayedExecutor(SECONDS_MAX, TimeUnit.SECONDS)
        .execute(() -> Runtime.getRuntime().halt(ExitCode.FAILED));
    int exitCode = ExitCode.OK;
    try {
      rehearse(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    } catch (IOException | RuntimeException e) {
      // The launcher shows what a rehearsal prints to nobody, and starts without a recording.
      e.printStackTrace();
      exitCode = ExitCode.FAILED;
    }
    System.exit(exitCode);
  }

  /**
   * Plays every part on a server with the default settings.
   *
   * @throws IllegalStateException when a command fails
   */
  static void rehearse(Path directory, int seconds) throws IOException {
    ServerConfig defaults = ServerConfig.defaults(Runtime.getRuntime().availableProcessors());
    ServerConfig config = defaults.withNet(defaults.net().at("127.0.0.1", 0, 0));
    try (Server server = Server.alone(directory, config)) {
      RehearsalMain rehearsal = new RehearsalMain(server);
      rehearsal.write(seconds);
      rehearsal.operate();
      for (String page : List.of("/", "/health", "/metrics")) {
        read(URI.create("http://" + rehearsal.http + page));
      }
    }
  }

  private void write(int seconds) {
    ask("partition", "create", "--key", "uid:INTEGER", "--from=0", "--to=999", "--partitions=4");
    ask("stress", "--table=load", "--create", "--rows=1000", "--durability=OS");
    ask("tunnels", "create", "--table=load", "--tunnel=worker", "--start=EARLIEST");
    CompletableFuture<Void> worker =
        CompletableFuture.runAsync(
            () -> ask("perf", "--table=load", "--tunnel=worker", "--touch", "--until-idle=2s"));
    String length = seconds == 0 ? "--rows=" + ROWS : "--duration=" + seconds + "s";
    ask("stress", "--table=load", length, "--puts=80", "--updates=20");
    try {
      worker.join();
    } catch (CompletionException e) {
      throw new IllegalStateException("the worker failed", e);
    }
  }

  private void operate() {
    ask("tables", "put", "--key=uid=7", "--set=name=Ada", "--set=age:INTEGER=36");
    ask("tables", "update", "--key=uid=7", "--set=age:INTEGER=37");
    ask("tables", "get", "--key=uid=7");
    ask("tables", "scan", "--limit=100", "--json");
    ask("tail", "--limit=1");
    ask("tables", "delete", "--key=uid=7");
    ask("partition", "describe");
    ask("tunnels", "describe", "--table=load", "--tunnel=worker");
    plainly("tables", "list", "--server=" + address);
    plainly("tunnels", "list", "--server=" + address);
    plainly("health", "--http=" + http);
    plainly("version");
    plainly("--help");
    plainly("help", "server");
    plainly("help", "cluster");
    plainly("completion", "bash");
  }

  /** A command of our server, about our table unless it names another. */
  private void ask(String... arguments) {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--server=" + address);
    if (all.stream().noneMatch(argument -> argument.startsWith("--table="))) {
      all.add("--table=" + TABLE);
    }
    plainly(all.toArray(String[]::new));
  }

  private static void plainly(String... arguments) {
    CommandLine command = TunnelCommand.commandLine(Map.of(), arguments);
    PrintWriter nowhere =
        new PrintWriter(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    command.setOut(nowhere);
    command.setErr(nowhere);
    Diagnosis diagnosis = Diagnosis.standard().or(new ServiceDiagnosis());
    int exitCode = CommandRunner.run(command, diagnosis, arguments);
    if (exitCode != ExitCode.OK) {
      throw new IllegalStateException(
          "tunnel " + String.join(" ", arguments) + " ended with " + exitCode);
    }
  }

  private static void read(URI page) throws IOException {
    try (InputStream in = page.toURL().openStream()) {
      in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
