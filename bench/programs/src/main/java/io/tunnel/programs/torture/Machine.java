package io.tunnel.programs.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What one server runs on, and the server; everything lies in a directory of its own. */
final class Machine implements AutoCloseable {

  private final String mainClass;
  private final Path work;
  private final int port;
  private final Optional<PowerDisk> disk;
  private List<String> options = List.of();
  private Optional<TortureServer> server = Optional.empty();
  private boolean isClosed;

  private Machine(String mainClass, Path work, int port, Optional<PowerDisk> disk) {
    this.mainClass = mainClass;
    this.work = work;
    this.port = port;
    this.disk = disk;
  }

  /**
   * With a disk of its own, or with a plain directory.
   *
   * @param work a directory that is made
   */
  static Machine make(String mainClass, Path work, int port, boolean hasDisk)
      throws IOException, InterruptedException {
    Files.createDirectory(work);
    Optional<PowerDisk> disk = hasDisk ? Optional.of(PowerDisk.make(work)) : Optional.empty();
    return new Machine(mainClass, work, port, disk);
  }

  PowerDisk disk() {
    return disk.orElseThrow();
  }

  boolean hasDisk() {
    return disk.isPresent();
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  int port() {
    return port;
  }

  private Path data() {
    return disk.map(PowerDisk::path).orElse(work).resolve("data");
  }

  /** Begins anew with nothing stored; the next servers have these options. */
  void clear(List<String> newOptions) throws IOException, InterruptedException {
    options = List.copyOf(newOptions);
    kill();
    if (disk.isPresent()) {
      disk.get().format();
    } else {
      delete(data());
    }
  }

  /** Deletes the directory of the server; the server must not run. */
  void deleteData() throws IOException {
    delete(data());
  }

  /** Starts a server and does not wait for it. */
  synchronized TortureServer spawn() throws IOException {
    if (isClosed) {
      throw new IOException("interrupted");
    }
    TortureServer spawned = TortureServer.spawn(mainClass, data(), port, work, options);
    server = Optional.of(spawned);
    return spawned;
  }

  TortureServer server() {
    return server.orElseThrow();
  }

  /** Ends the server, if there is one, from one moment to the next. */
  synchronized void kill() throws InterruptedException {
    if (server.isPresent()) {
      server.get().kill();
      server = Optional.empty();
    }
  }

  /** Copies what a server had trouble with, and what it said, to a place that stays. */
  void keep(Path kept) throws IOException, InterruptedException {
    SystemProgram.run("cp", "-r", data().toString(), kept.toString());
    Path log = work.resolve("server.log");
    if (Files.exists(log)) {
      SystemProgram.run("cp", log.toString(), kept + ".log");
    }
  }

  static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      List<Path> deepestFirst;
      try (Stream<Path> files = Files.walk(tree)) {
        deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    disk.ifPresent(PowerDisk::close);
  }
}
