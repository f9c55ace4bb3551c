package io.tunnel.server.backup;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.tunnel.server.catalog.store.StoredForm;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
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

  /**
   * Whether {@link #create} would make a directory of backups at this place. Changes nothing.
   *
   * @throws IOException when the place cannot become a directory of backups
   */
  public static boolean isToCreate(Path path) throws IOException {
    if (Files.exists(path.resolve(MARK))) {
      requireMark(path);
      return false;
    }
    Path there = path.toAbsolutePath();
    while (there.getParent() != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (!Files.isDirectory(there)) {
      throw new IOException(there + " is no directory");
    }
    if (!Files.isWritable(there)) {
      throw new AccessDeniedException(there.toString());
    }
    if (Files.exists(path)) {
      requireNothingElse(path);
    }
    return true;
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
    return PrivateFiles.openLocked(path.resolve("LOCK"), options)
        .orElseThrow(() -> new BackupsInUseException(path));
  }

  /** All sets whose lists can be read, oldest first. */
  public List<BackupSet> sets() throws IOException {
    return found().intact();
  }

  /**
   * All sets. A damaged list hides no other set, and files of other names are no lists.
   *
   * @throws IOException when the directory itself cannot be read
   */
  public FoundSets found() throws IOException {
    try (Stream<Path> files = Files.list(path.resolve(SETS))) {
      return FoundSets.of(files.toList());
    }
  }

  /**
   * The set with that number, or the newest set.
   *
   * @throws IOException when there is no such set, or its list is damaged; the message names a set
   *     that can be read. The newest set is never replaced by an older set in silence. Also when
   *     the number is absent and the directory has sets of several services.
   */
  public BackupSet set(Optional<Long> number) throws IOException {
    return found().set(path, number);
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
      return store(in, source.toString(), described, bytes, copied);
    }
  }

  /** Keeps the first {@code bytes} bytes of {@code in}. */
  StoredFile store(InputStream in, StoredFile described, long bytes, Copied copied)
      throws IOException {
    return store(in, described.path(), described, bytes, copied);
  }

  private StoredFile store(
      InputStream in, String name, StoredFile described, long bytes, Copied copied)
      throws IOException {
    Path incoming = path.resolve(FILES).resolve("incoming");
    Copy copy = copy(in, bytes, incoming, copied);
    if (copy.bytes() < bytes) {
      throw new IOException(
          "the file %s was cut while the backup read the file: it ends after %d bytes, and had %d"
                  .formatted(name, copy.bytes(), bytes)
              + " before. Take the backup again; if the failure comes again, look at the data"
              + " directory with './tunnel doctor'");
    }
    StoredFile stored =
        new StoredFile(described.path(), bytes, copy.crc32c(), described.modifiedMs());
    Files.move(incoming, place(stored), StandardCopyOption.ATOMIC_MOVE);
    return stored;
  }

  /**
   * A copy.
   *
   * @param bytes that were copied; fewer than asked for when the source has ended before
   */
  record Copy(int crc32c, long bytes) {}

  /** Copies {@code bytes} bytes durably, or all bytes of a source that has fewer. */
  static Copy copy(InputStream in, long bytes, Path target, Copied copied) throws IOException {
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
          return new Copy((int) crc.getValue(), bytes - left);
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
    return new Copy((int) crc.getValue(), bytes);
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
    String name = FoundSets.listOf(set.number());
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

  /**
   * Deletes all sets of a service but the newest {@code count}, and the files that no set needs.
   * Sets of other services stay. While a list is damaged, no file is deleted: the list may name any
   * file.
   *
   * @return the number of deleted sets
   */
  int keep(int count, String service) throws IOException {
    FoundSets found = found();
    List<BackupSet> own = found.intact().stream().filter(set -> set.isOf(service)).toList();
    List<BackupSet> gone = own.subList(0, Math.max(0, own.size() - count));
    for (BackupSet set : gone) {
      Files.deleteIfExists(path.resolve(SETS).resolve(FoundSets.listOf(set.number())));
    }
    DurableFiles.syncNames(path.resolve(SETS));
    if (found.damaged().isEmpty()) {
      Set<String> needed = new HashSet<>();
      found.intact().stream()
          .filter(set -> !gone.contains(set))
          .forEach(set -> set.files().forEach(file -> needed.add(file.name())));
      deleteAllBut(needed);
    }
    return gone.size();
  }

  private void deleteAllBut(Set<String> needed) throws IOException {
    try (Stream<Path> files = Files.list(path.resolve(FILES))) {
      for (Path file : files.toList()) {
        if (!needed.contains(file.getFileName().toString())) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (lockFile.isPresent()) {
      lockFile.get().close();
    }
  }
}
