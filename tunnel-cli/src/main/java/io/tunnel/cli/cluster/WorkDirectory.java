package io.tunnel.cli.cluster;

import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory that a command fills, and deletes at its end.
 *
 * <p>Invariant: a directory with files of a command has the file {@value #MARK}, which comes first
 * and goes last, and which the command holds a lock on. So the next command recognises the files of
 * a killed command, deletes them, and never deletes a file of somebody else.
 */
final class WorkDirectory implements Closeable {

  /** Marks the directory of a command, and has the lock of the command. */
  static final String MARK = "tunnel-work";

  private static final String DATA = "data";

  private final Path path;
  private final FileChannel mark;

  private WorkDirectory(Path path, FileChannel mark) {
    this.path = path;
    this.mark = mark;
  }

  /**
   * Takes a directory that does not exist, is empty, or has files of a killed command alone, which
   * are deleted.
   *
   * @param backups the directory of backups, which lies elsewhere
   * @param err is told of deleted files
   * @throws CommandFailure when the directory may hold something that is not of a command, or
   *     another command uses the directory
   */
  static WorkDirectory open(Path path, Path backups, PrintWriter err) throws IOException {
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
      requireOwn(path);
    }
    var unused = PrivateFiles.createDirectories(path);
    WorkDirectory taken = new WorkDirectory(path, lock(path));
    if (Files.exists(taken.path())) {
      err.println("deletes the files of a killed command in --work " + path);
      err.flush();
      PrivateFiles.deleteAll(taken.path());
    }
    return taken;
  }

  private static void requireOwn(Path path) throws IOException {
    List<String> names;
    try (Stream<Path> files = Files.list(path)) {
      names = files.map(file -> file.getFileName().toString()).toList();
    }
    boolean isOwn =
        names.contains(MARK) && names.stream().allMatch(name -> List.of(MARK, DATA).contains(name));
    if (!names.isEmpty() && !isOwn) {
      throw CommandFailure.usage(
          "--work "
              + path
              + " has files that are not of a killed command: name an empty directory, or one that"
              + " does not exist");
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    return PrivateFiles.openLocked(
            path.resolve(MARK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        .orElseThrow(
            () ->
                new CommandFailure(
                    ExitCode.UNAVAILABLE,
                    "--work "
                        + path
                        + " is in use by another command: wait for the end of the command, or name"
                        + " another directory"));
  }

  /** Where the command puts its files; does not exist at first. */
  Path path() {
    return path.resolve(DATA);
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
    return Files.getFileStore(path).getUsableSpace();
  }

  /** Deletes the files of the command, and the directory if nothing else is in there. */
  @Override
  public void close() throws IOException {
    try (mark) {
      PrivateFiles.deleteAll(path());
      Files.deleteIfExists(path.resolve(MARK));
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException e) {
      // Another program has put a file into the directory meanwhile.
    }
  }
}
