package io.tunnel.server.backup;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.tunnel.model.Level;
import io.tunnel.server.catalog.store.StoredForm;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A directory of backups: {@code files} holds every file once, under its checksum and size; {@code
 * sets} has a JSON object with the list of files for each backup; {@code BACKUP} marks the
 * directory.
 *
 * <p>Invariant: the files of a set were durable before the set was. A file without a set is left
 * from an interrupted backup.
 */
public final class BackupDirectory implements Closeable {

  private static final String MARK = "BACKUP";
  private static final String MARK_NEXT = "BACKUP.next";
  private static final Gson GSON = new Gson();
  private static final String MARK_TEXT = GSON.toJson(new Mark(StoredForm.NUMBER));
  private static final String FILES = "files";
  private static final String SETS = "sets";
  private static final int BUFFER_BYTES = 256 << 10;

  /**
   * A copy goes to the disk in pieces. At once, at the end of the file, it would stand before the
   * syncs of a server that writes to this disk.
   */
  private static final long BYTES_PER_SYNC = 8 << 20;

  private final Path path;
  private final Optional<FileChannel> lockFile;

  /** What {@code BACKUP} says. */
  private record Mark(int format) {}

  private BackupDirectory(Path path, Optional<FileChannel> lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  /** Opens a directory of backups; creates it when it is missing or empty. */
  public static BackupDirectory create(Path path) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IOException(path + " is no directory");
    }
    if (Files.notExists(path.resolve(MARK))) {
      var unused = DurableFiles.create(path);
      requireNothingElse(path);
      Path next = path.resolve(MARK_NEXT);
      PrivateFiles.write(
          next,
          MARK_TEXT,
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.WRITE,
          StandardOpenOption.SYNC);
      var unusedFiles = PrivateFiles.createDirectories(path.resolve(FILES));
      var unusedSets = PrivateFiles.createDirectories(path.resolve(SETS));
      Files.move(next, path.resolve(MARK), StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.syncNames(path);
    }
    requireMark(path);
    return new BackupDirectory(
        path, Optional.of(lock(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)));
  }

  /** Refuses a directory with files that an interrupted {@link #create} does not make. */
  private static void requireNothingElse(Path path) throws IOException {
    try (Stream<Path> all = Files.list(path)) {
      for (Path file : all.toList()) {
        String name = file.getFileName().toString();
        boolean isPlace = name.equals(FILES) || name.equals(SETS);
        if (isPlace ? !isEmpty(file) : !name.equals(MARK_NEXT)) {
          throw new IOException(path + " holds other files and is no directory of backups");
        }
      }
    }
  }

  private static boolean isEmpty(Path file) throws IOException {
    if (!Files.isDirectory(file)) {
      return false;
    }
    try (Stream<Path> all = Files.list(file)) {
      return all.findAny().isEmpty();
    }
  }

  /**
   * Opens an existing directory of backups for reading, for example on a read-only disk. Several
   * processes may read it.
   */
  public static BackupDirectory toRead(Path path) throws IOException {
    requireMark(path);
    try {
      return new BackupDirectory(path, Optional.of(lock(path, StandardOpenOption.READ)));
    } catch (NoSuchFileException e) {
      return new BackupDirectory(path, Optional.empty());
    }
  }

  private static void requireMark(Path path) throws IOException {
    if (Files.isRegularFile(path)) {
      throw new IOException(path + " is no directory");
    }
    String mark;
    try {
      mark = Files.readString(path.resolve(MARK)).strip();
    } catch (NoSuchFileException e) {
      throw new IOException(path + " is no directory of backups: it has no file " + MARK, e);
    }
    StoredForm.require("the directory of backups " + path, format(path, mark));
  }

  private static int format(Path path, String mark) throws IOException {
    try {
      Mark read = GSON.fromJson(mark, Mark.class);
      if (read != null && read.format() > 0) {
        return read.format();
      }
    } catch (JsonParseException e) {
      // Reported below.
    }
    throw new IOException(path + " has a form that this program does not know: " + mark);
  }

  /** Locks the directory; with a shared lock when the lock's file is opened for reading. */
  private static FileChannel lock(Path path, OpenOption... options) throws IOException {
    boolean isShared = List.of(options).contains(StandardOpenOption.READ);
    FileChannel file = PrivateFiles.open(path.resolve("LOCK"), options);
    FileLock lock = null;
    try {
      lock = file.tryLock(0, Long.MAX_VALUE, isShared);
    } catch (OverlappingFileLockException e) {
      // Reported below.
    }
    if (lock == null) {
      file.close();
      throw new IOException(path + " is in use by another backup or restore");
    }
    return file;
  }

  /** All sets, oldest first. */
  public List<BackupSet> sets() throws IOException {
    List<BackupSet> sets = new ArrayList<>();
    List<Path> lists;
    try (Stream<Path> files = Files.list(path.resolve(SETS))) {
      lists = files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    for (Path list : lists) {
      sets.add(read(list));
    }
    return sets;
  }

  private static BackupSet read(Path list) throws IOException {
    BackupSet set;
    try {
      set = GSON.fromJson(Files.readString(list), BackupSet.class);
    } catch (JsonParseException e) {
      throw new IOException(list + " is damaged: " + e.getMessage(), e);
    }
    if (set == null || set.level() < Level.FIRST) {
      throw new IOException(list + " is damaged: it has no list of files or no level");
    }
    StoredForm.require("the backup " + list, set.format());
    return set;
  }

  /** The set with that number, or the newest set. */
  public BackupSet set(Optional<Long> number) throws IOException {
    List<BackupSet> sets = sets();
    for (BackupSet set : sets) {
      if (number.isPresent() && set.number() == number.get()) {
        return set;
      }
    }
    if (number.isPresent() || sets.isEmpty()) {
      throw new IOException(
          path
              + (number.isPresent() ? " has no backup " + number.get() : " has no backup yet")
              + (sets.isEmpty()
                  ? ""
                  : "; there are "
                      + sets.get(0).number()
                      + " to "
                      + sets.get(sets.size() - 1).number()));
    }
    return sets.get(sets.size() - 1);
  }

  /** Progress of a copy. */
  @FunctionalInterface
  public interface Copied {
    /** {@code count} more bytes were copied. */
    void bytes(long count);
  }

  /**
   * Keeps the first {@code bytes} of a file.
   *
   * @throws NoSuchFileException when the file was deleted
   */
  StoredFile store(Path source, StoredFile described, long bytes, Copied copied)
      throws IOException {
    try (InputStream in = Files.newInputStream(source)) {
      return store(in, described, bytes, copied);
    }
  }

  StoredFile store(InputStream in, StoredFile described, long bytes, Copied copied)
      throws IOException {
    Path incoming = path.resolve(FILES).resolve("incoming");
    int crc = copy(in, bytes, incoming, copied);
    StoredFile stored = new StoredFile(described.path(), bytes, crc, described.modifiedMs());
    Files.move(incoming, place(stored), StandardCopyOption.ATOMIC_MOVE);
    return stored;
  }

  /** Copies {@code bytes} bytes durably, and returns their checksum. */
  static int copy(InputStream in, long bytes, Path target, Copied copied) throws IOException {
    CRC32C crc = new CRC32C();
    try (FileChannel out =
        PrivateFiles.open(
            target,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      byte[] buffer = new byte[BUFFER_BYTES];
      for (long left = bytes; left > 0; ) {
        int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (count < 0) {
          throw new IOException("the file became shorter by " + left + " bytes while it was read");
        }
        crc.update(buffer, 0, count);
        ByteBuffer piece = ByteBuffer.wrap(buffer, 0, count);
        while (piece.hasRemaining()) {
          out.write(piece);
        }
        long before = left;
        left -= count;
        if (before / BYTES_PER_SYNC != left / BYTES_PER_SYNC) {
          out.force(false);
        }
        copied.bytes(count);
      }
      out.force(true);
    }
    return (int) crc.getValue();
  }

  /** Whether a file is kept, with its full length. */
  boolean has(StoredFile file) throws IOException {
    try {
      return Files.size(place(file)) == file.bytes();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** The path of a kept file. */
  Path place(StoredFile file) {
    return path.resolve(FILES).resolve(file.name());
  }

  /** Adds the set durably. */
  void commit(BackupSet set) throws IOException {
    DurableFiles.syncNames(path.resolve(FILES));
    String name = String.format(Locale.ROOT, "%08d.json", set.number());
    Path next = path.resolve(SETS).resolve(name + ".next");
    PrivateFiles.write(
        next,
        GSON.toJson(set),
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        StandardOpenOption.SYNC);
    Files.move(next, path.resolve(SETS).resolve(name), StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncNames(path.resolve(SETS));
  }

  /** Deletes all sets but the newest {@code count}, and the files without a set. */
  int keep(int count) throws IOException {
    List<BackupSet> sets = sets();
    int gone = Math.max(0, sets.size() - count);
    for (BackupSet set : sets.subList(0, gone)) {
      String name = String.format(Locale.ROOT, "%08d.json", set.number());
      Files.delete(path.resolve(SETS).resolve(name));
    }
    DurableFiles.syncNames(path.resolve(SETS));
    Set<String> needed = new HashSet<>();
    for (BackupSet set : sets.subList(gone, sets.size())) {
      set.files().forEach(file -> needed.add(file.name()));
    }
    try (Stream<Path> files = Files.list(path.resolve(FILES))) {
      for (Path file : files.toList()) {
        if (!needed.contains(file.getFileName().toString())) {
          Files.delete(file);
        }
      }
    }
    return gone;
  }

  @Override
  public void close() throws IOException {
    if (lockFile.isPresent()) {
      lockFile.get().close();
    }
  }
}
