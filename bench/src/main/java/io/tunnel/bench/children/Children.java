package io.tunnel.bench.children;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The JVMs that this program starts, and the temporary directory that they live in. All end, and
 * the directory goes, when this is closed or the program is asked to end, whichever comes first.
 */
public final class Children implements AutoCloseable {

  private static final long STOP_SECONDS_MAX = 15;

  private final Path directory;
  private final List<Process> processes = new ArrayList<>();
  private boolean isClosed;

  /** Makes a temporary directory inside {@code parent}. */
  public Children(Path parent) throws IOException {
    directory = Files.createTempDirectory(parent, "tunnel-bench-");
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end-children"));
  }

  /** The temporary directory. */
  public Path directory() {
    return directory;
  }

  /**
   * Starts a JVM with the class path of this one; what it prints goes to {@code NAME.log} in the
   * directory.
   *
   * @throws IllegalStateException when the program is ending
   */
  public synchronized Process start(
      String name, List<String> jvmOptions, String mainClass, List<String> arguments)
      throws IOException {
    if (isClosed) {
      throw new IllegalStateException("the program is ending");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(arguments);
    File log = log(name).toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    builder.environment().putIfAbsent("TUNNEL_LOG", "warn");
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  /** Where what a child of that name prints goes. */
  public Path log(String name) {
    return directory.resolve(name + ".log");
  }

  /** Ends what still runs, gracefully first, and deletes the directory. Idempotent. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    processes.forEach(Process::destroy);
    processes.forEach(Children::awaitEnd);
    delete(directory);
  }

  private static void awaitEnd(Process process) {
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path directory) {
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException gone) {
      return;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (Path file : deepestFirst) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        System.err.println("not deleted: " + e);
      }
    }
  }
}
