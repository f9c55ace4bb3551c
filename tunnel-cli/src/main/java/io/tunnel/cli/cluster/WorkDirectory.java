package io.tunnel.cli.cluster;

import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Human;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The directory that a command fills, and deletes at its end. */
final class WorkDirectory implements Closeable {

  private final Path path;

  private WorkDirectory(Path path) {
    this.path = path;
  }

  /**
   * Takes a directory that does not exist or is empty.
   *
   * @param backups the directory of backups, which lies elsewhere
   * @throws CommandFailure when the directory may hold something that is not of this command
   */
  static WorkDirectory open(Path path, Path backups) throws IOException {
    Path work = path.toAbsolutePath().normalize();
    Path apart = backups.toAbsolutePath().normalize();
    if (work.startsWith(apart) || apart.startsWith(work)) {
      throw CommandFailure.usage(
          "--work " + path + " is deleted at the end: name a directory apart from " + backups);
    }
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw CommandFailure.usage("--work " + path + " is no directory");
    }
    if (Files.isDirectory(path)) {
      try (Stream<Path> files = Files.list(path)) {
        if (files.findAny().isPresent()) {
          throw CommandFailure.usage(
              "--work "
                  + path
                  + " is not empty: name an empty directory, or one that does not exist. A command"
                  + " that was killed leaves files there: delete the directory then");
        }
      }
    }
    return new WorkDirectory(path);
  }

  Path path() {
    return path;
  }

  /**
   * Refuses what cannot fit.
   *
   * @param bytes that the command will write at least
   * @param free bytes of the disk that this user may write
   */
  void requireRoom(long bytes, long free) {
    if (free < bytes) {
      throw CommandFailure.failed(
          "the disk of --work "
              + path
              + " has "
              + Human.bytes(free)
              + " free, and the backup has "
              + Human.bytes(bytes)
              + ": name a directory on a larger disk");
    }
  }

  /** Bytes of the disk that this user may write. */
  long free() throws IOException {
    Path there = path.toAbsolutePath();
    while (there.getParent() != null && Files.notExists(there)) {
      there = there.getParent();
    }
    return Files.getFileStore(there).getUsableSpace();
  }

  @Override
  public void close() throws IOException {
    PrivateFiles.deleteAll(path);
  }
}
