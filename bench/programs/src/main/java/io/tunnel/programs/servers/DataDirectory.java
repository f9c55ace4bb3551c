package io.tunnel.programs.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a program's server keeps its data and its log; temporary unless the user names a place.
 *
 * <p>What is temporary has a file that is locked as long as the program lives. A program that was
 * killed leaves the file behind, unlocked, and its next run deletes what lies beside it. Without
 * the file nothing is deleted: it was kept for somebody to look at.
 */
public final class DataDirectory {

  private static final String DEMO = "demo";
  private static final String MARK = "temporary";
  private static final int DELETE_ATTEMPTS_MAX = 20;

  private final Path temporary;
  private final Path data;
  private final FileChannel mark;

  /** Whether the program was interrupted; guarded by the monitor. */
  private boolean isAbandoned;

  /** The given place for data, or a new temporary directory, where the server's log is anyway. */
  public DataDirectory(Optional<Path> given) throws IOException {
    this(given, Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** A directory for data, whose temporary files lie in {@code parent}. */
  public DataDirectory(Optional<Path> given, Path parent) throws IOException {
    this(DEMO, given, parent);
  }

  private DataDirectory(String program, Optional<Path> given, Path parent) throws IOException {
    String prefix = "tunnel-" + program + "-";
    sweep(parent, prefix);
    temporary = Files.createTempDirectory(parent, prefix);
    data = given.orElse(temporary.resolve("data"));
    mark =
        FileChannel.open(
            temporary.resolve(MARK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    FileLock unused = mark.lock();
  }

  /** A temporary directory of that program's inside {@code parent}. */
  public static DataDirectory temporary(String program, Path parent) throws IOException {
    return new DataDirectory(program, Optional.empty(), parent);
  }

  /** Deletes what runs of the program left behind that were killed. */
  private static void sweep(Path parent, String prefix) throws IOException {
    List<Path> marks;
    try (Stream<Path> entries = Files.list(parent)) {
      marks =
          entries
              .filter(path -> path.getFileName().toString().startsWith(prefix))
              .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
              .map(path -> path.resolve(MARK))
              .filter(Files::isWritable)
              .toList();
    }
    for (Path left : marks) {
      if (isUnlocked(left)) {
        delete(left.getParent());
      }
    }
  }

  private static boolean isUnlocked(Path mark) {
    try (FileChannel channel = FileChannel.open(mark, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock != null;
    } catch (IOException | OverlappingFileLockException othersOrGone) {
      return false;
    }
  }

  public Path data() {
    return data;
  }

  /** Where what a server of that name prints goes. */
  public Path log(String name) {
    return temporary.resolve(name + ".log");
  }

  /** Where all logs are. */
  public Path logs() {
    return temporary;
  }

  /** Bytes of all files of the data; a file that vanishes meanwhile does not count. */
  public long bytes() throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      return files.filter(Files::isRegularFile).mapToLong(DataDirectory::size).sum();
    } catch (UncheckedIOException vanished) {
      return 0;
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException vanished) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The program was interrupted. From now on nobody keeps the directory: the next run of the
   * program deletes what a deletion that takes too long leaves.
   */
  public synchronized void abandon() {
    isAbandoned = true;
  }

  /** Leaves everything for the user, unless the program was interrupted; says where it is. */
  public synchronized String keep() throws IOException {
    if (isAbandoned) {
      return "interrupted: " + temporary + " is deleted";
    }
    mark.close();
    Files.deleteIfExists(temporary.resolve(MARK));
    return "kept: " + data + ", logs in " + temporary;
  }

  /** Deletes what was temporary, which is never what the user named. */
  public void delete() throws IOException {
    delete(temporary);
    mark.close();
  }

  /** The mark goes last; what a process adds that is just ending is deleted as well. */
  private static void delete(Path directory) throws IOException {
    for (int attempt = 1; Files.exists(directory); attempt++) {
      try {
        deleteOnce(directory);
      } catch (IOException | UncheckedIOException e) {
        if (attempt == DELETE_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }

  private static void deleteOnce(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    Path mark = directory.resolve(MARK);
    for (Path file : deepestFirst) {
      if (!file.equals(mark) && !file.equals(directory)) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(mark);
    Files.deleteIfExists(directory);
  }
}
