package io.tunnel.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.FreePort;
import io.tunnel.fixtures.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A reader's terminal in an empty directory, in which {@code ./tunnel} is the project's launcher.
 * Variables live from one command to the next. The ports and addresses that the documents name
 * stand for free ports of this machine.
 */
final class PageTerminal implements AutoCloseable {

  /** No command of a page that runs here takes longer, also on a loaded machine. */
  private static final Duration COMMAND_MAX = Duration.ofMinutes(3);

  /** A command with this remark runs on, like a server. */
  private static final String OWN_TERMINAL = "in a terminal of its own";

  /** A command with this remark takes the place of the one that has a terminal of its own. */
  private static final String SAME_TERMINAL = "in its place";

  /** A command with this remark runs until it has printed something, and is ended. */
  private static final String INTERRUPTED = "until Ctrl-C";

  private final Path directory;
  private final int port = FreePort.find();
  private final int httpPort = FreePort.find();
  private final Map<String, String> places;
  private Process other;
  private int commands;

  /**
   * Opens the terminal.
   *
   * @param directory an empty directory
   */
  PageTerminal(Path directory) throws IOException {
    this.directory = directory;
    this.places =
        Map.of(
            "7650", "" + port,
            "7651", "" + httpPort,
            "db1.example.org", "localhost",
            "/var/lib/", directory + "/var/lib/",
            "/backup/", directory + "/backup/");
    Files.createDirectories(directory.resolve("var/lib"));
    Files.createDirectories(directory.resolve("backup"));
    Path launcher = directory.resolve("tunnel");
    // The default ports of a server may be taken; clients are told by TUNNEL_SERVER.
    Files.writeString(
        launcher,
        """
        #!/usr/bin/env bash
        case "$*" in
          server*--help* | server*--port*) ;;
          server*) set -- "$@" --port %d --http-port %d ;;
        esac
        exec '%s/tunnel' "$@"
        """
            .formatted(port, httpPort, Page.ROOT));
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(directory.resolve(".variables"), "");
  }

  /** What a command said on both streams, and its exit code. */
  record Said(String text, int exitCode) {}

  /** The text with the places of this terminal. */
  String here(String text) {
    String here = text;
    for (Map.Entry<String, String> place : places.entrySet()) {
      here = here.replace(place.getKey(), place.getValue());
    }
    return here;
  }

  /** Runs a command as it stands in a document, with its remark. */
  Said run(String documented) {
    String command = here(documented);
    boolean takesPlace = command.contains(SAME_TERMINAL);
    if (takesPlace) {
      stopOther();
    }
    if (takesPlace || command.contains(OWN_TERMINAL)) {
      return startOther(command);
    }
    String script =
        """
        set -o pipefail
        . ./.variables
        %s
        code=$?
        export -p > .variables
        exit $code
        """
            .formatted(command);
    Path said = said();
    if (command.contains(INTERRUPTED)) {
      return interrupted(start(". ./.variables\nexec " + command, said), said);
    }
    return awaitEnd(start(script, said), said);
  }

  /**
   * Runs a program, which fails at an {@code assert} that does not hold, and which is given a line
   * on standard input when it has printed one.
   */
  Said runProgram(String mainClass, Path classes) {
    Path said = said();
    Process program =
        start(
            "exec '%s/bin/java' -ea:%s -cp '%s' '%s'"
                .formatted(
                    System.getProperty("java.home"),
                    mainClass,
                    JavaSources.classPath(classes),
                    mainClass),
            said);
    awaitOutput(program, said);
    try (var stdin = program.outputWriter(StandardCharsets.UTF_8)) {
      stdin.write("\n");
    } catch (IOException e) {
      // It has ended already.
    }
    return awaitEnd(program, said);
  }

  private Said startOther(String command) {
    assertThat(other == null || !other.isAlive()).as("one other terminal at a time").isTrue();
    Path said = said();
    other = start(". ./.variables\nexec " + command, said);
    Poll.until(
        COMMAND_MAX,
        () -> !other.isAlive() || listens(),
        () -> command + " does not listen:\n" + read(said));
    return new Said(read(said), other.isAlive() ? 0 : other.exitValue());
  }

  private boolean listens() {
    try (Socket probe = new Socket()) {
      probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Path said() {
    return directory.resolve(".said-" + commands++);
  }

  private Process start(String script, Path said) {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", script)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().put("TUNNEL_SERVER", "127.0.0.1:" + port);
    builder.environment().put("TUNNEL_HTTP", "localhost:" + httpPort);
    builder.environment().put("TUNNEL_PROGRESS", "plain");
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitOutput(Process process, Path said) {
    Poll.until(
        COMMAND_MAX,
        () -> !process.isAlive() || !read(said).isEmpty(),
        () -> "a program that prints something");
  }

  private static Said interrupted(Process process, Path said) {
    awaitOutput(process, said);
    // SIGTERM: what a shell starts in the background ignores SIGINT, and so do its children.
    process.destroy();
    Said ended = awaitEnd(process, said);
    return new Said(ended.text(), ended.exitCode() == 143 ? 0 : ended.exitCode());
  }

  private static Said awaitEnd(Process process, Path said) {
    try {
      // Programs that prompt find no terminal.
      process.getOutputStream().close();
      if (!process.waitFor(COMMAND_MAX.toSeconds(), TimeUnit.SECONDS)) {
        kill(process);
        throw new AssertionError("does not end:\n" + read(said));
      }
      return new Said(read(said), process.exitValue());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void stopOther() {
    assertThat(other).as("what has a terminal of its own").isNotNull();
    other.destroy();
    Poll.until("the end of what had a terminal of its own", () -> !other.isAlive());
  }

  private static void kill(Process process) {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    if (other != null) {
      kill(other);
    }
  }
}
