package io.tunnel.programs.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Stands for a server in a process of its own: says that it is ready, and works until it is told to
 * stop. A data directory named {@code bad} cannot be used.
 */
final class FakeServerMain {

  private FakeServerMain() {}

  /** Runs it. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path data = Path.of(args[List.of(args).indexOf("--data") + 1]);
    if (data.endsWith("bad")) {
      System.err.println("the data directory is bad");
      System.exit(2);
    }
    Files.createDirectories(data);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(data.resolve("stopped"), args)));
    System.out.println("some line before");
    System.out.println("tunnel server listening on 127.0.0.1:1234");
    System.out.println("http on 127.0.0.1:1235");
    // More than a pipe holds: somebody must read it.
    for (int i = 0; i < 2_000; i++) {
      System.out.println("x".repeat(100));
    }
    write(data.resolve("talked"), args);
    Thread.currentThread().join();
  }

  private static void write(Path file, String[] args) {
    try {
      Files.writeString(file, String.join(" ", args));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
