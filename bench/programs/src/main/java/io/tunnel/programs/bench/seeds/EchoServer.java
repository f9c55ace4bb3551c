package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.terminal.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@link EchoServerMain} in a process of its own. */
final class EchoServer implements SeedServer {

  private static final int LOG_LINES_SHOWN = 5;

  private final Process process;
  private final int port;

  private EchoServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Starts one with so many event loops; {@code directory} is made for its log. */
  static EchoServer start(Path directory, int threads) throws IOException {
    Files.createDirectories(directory);
    Path log = directory.resolve("echo.log");
    Process process =
        new ProcessBuilder(
                JavaProgram.command(
                    List.of(), EchoServerMain.class.getName(), List.of(String.valueOf(threads))))
            .redirectError(log.toFile())
            .start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    if (line == null || !line.startsWith(EchoServerMain.READY)) {
      process.destroyForcibly();
      throw CommandFailure.failed(
          "the echo server did not start:\n" + JavaProgram.lastLines(log, LOG_LINES_SHOWN));
    }
    return new EchoServer(process, Integer.parseInt(line.substring(EchoServerMain.READY.length())));
  }

  @Override
  public int port(int client) {
    return port;
  }

  @Override
  public long residentBytes() {
    return JavaProgram.residentBytes(process.pid());
  }

  @Override
  public void close() {
    JavaProgram.stop(process);
  }
}
