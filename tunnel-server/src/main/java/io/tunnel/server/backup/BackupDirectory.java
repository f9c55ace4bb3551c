package io.tunnel.server.backup;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
 * Where backups are kept: {@code files} holds every file once, under its checksum and size; {@code
 * sets} says which belong together, one JSON object each; {@code BACKUP} says what the directory
 * is.
 *
 * <p>Invariant: the files of a set were durable before the set was. A file that no set names is of
 * a backup that was interrupted.
 */
public final class BackupDirectory implements Closeable {

  private static final String MARK = "BACKUP";
  private static final String MARK_TEXT = "{\"format\":1}";
  private static final int BUFFER_BYTES = 1 << 20;
  private static final Gson GSON = new Gson();

  private final Path path;
  private final FileChannel lockFile;

  private BackupDirectory(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  /** Opens a directory of backups, which is made when there is none, or an empty one. */
  public static BackupDirectory create(Path path) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IOException(path + " is no directory");
    }
    if (!Files.exists(path.resolve(MARK))) {
      Files.createDirectories(path);
      try (Stream<Path> files = Files.list(path)) {
        if (files.findAny().isPresent()) {
          throw new IOException(path + " holds other files and is no directory of backups");
        }
      }
      Files.createDirectories(path.resolve("files"));
      Files.createDirectories(path.resolve("sets"));
      Files.writeString(path.resolve(MARK), MARK_TEXT, StandardOpenOption.CREATE);
    }
    return open(path);
  }

  /** Opens a directory of backups that exists. */
  public static BackupDirectory open(Path path) throws IOException {
    if (!Files.exists(path.resolve(MARK))) {
      throw new IOException(path + " is no directory of backups: it has no file " + MARK);
    }
    String mark = Files.readString(path.resolve(MARK)).strip();
    if (!mark.equals(MARK_TEXT)) {
      throw new IOException(path + " has a form that this program does not know: " + mark);
    }
    FileChannel lockFile =
        FileChannel.open(path.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = lockFile.tryLock();
    } catch (OverlappingFileLockException e) {
      // Said below.
    }
    if (lock == null) {
      lockFile.close();
      throw new IOException(path + " is in use by another backup or restore");
    }
    return new BackupDirectory(path, lockFile);
  }

  /** All sets, oldest first. */
  public List<BackupSet> sets() throws IOException {
    List<BackupSet> sets = new ArrayList<>();
    List<Path> lists;
    try (Stream<Path> files = Files.list(path.resolve("sets"))) {
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
    if (set == null || set.format() != BackupSet.FORMAT) {
      throw new IOException(list + " has a form that this program does not know");
    }
    return set;
  }

  /** The set of that number, or the newest. */
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

  /** Is told of every byte that is copied. */
  @FunctionalInterface
  public interface Copied {
    /** So many more. */
    void bytes(long count);
  }

  /**
   * Keeps the first {@code bytes} of a file.
   *
   * @throws NoSuchFileException when it is not there any more
   */
  StoredFile store(Path source, StoredFile described, long bytes, Copied copied)
      throws IOException {
    try (InputStream in = Files.newInputStream(source)) {
      return store(in, described, bytes, copied);
    }
  }

  StoredFile store(InputStream in, StoredFile described, long bytes, Copied copied)
      throws IOException {
    Path incoming = path.resolve("files").resolve("incoming");
    int crc = copy(in, bytes, incoming, copied);
    StoredFile stored = new StoredFile(described.path(), bytes, crc, described.modifiedMs());
    Files.move(incoming, place(stored), StandardCopyOption.ATOMIC_MOVE);
    return stored;
  }

  /** Copies so many bytes durably; their checksum. */
  static int copy(InputStream in, long bytes, Path target, Copied copied) throws IOException {
    CRC32C crc = new CRC32C();
    try (FileChannel out =
        FileChannel.open(
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
        left -= count;
        copied.bytes(count);
      }
      out.force(true);
    }
    return (int) crc.getValue();
  }

  /** Whether a file is kept, with as many bytes as it shall have. */
  boolean has(StoredFile file) throws IOException {
    try {
      return Files.size(place(file)) == file.bytes();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Where the bytes of a file are kept. */
  Path place(StoredFile file) {
    return path.resolve("files").resolve(file.name());
  }

  /** From now on the set is there. */
  void commit(BackupSet set) throws IOException {
    syncNames(path.resolve("files"));
    String name = String.format(Locale.ROOT, "%08d.json", set.number());
    Path next = path.resolve("sets").resolve(name + ".next");
    Files.writeString(
        next,
        GSON.toJson(set),
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        StandardOpenOption.SYNC);
    Files.move(next, path.resolve("sets").resolve(name), StandardCopyOption.ATOMIC_MOVE);
    syncNames(path.resolve("sets"));
  }

  /** Deletes all sets but the newest {@code count}, and the files that no set needs any more. */
  int keep(int count) throws IOException {
    List<BackupSet> sets = sets();
    int gone = Math.max(0, sets.size() - count);
    for (BackupSet set : sets.subList(0, gone)) {
      String name = String.format(Locale.ROOT, "%08d.json", set.number());
      Files.delete(path.resolve("sets").resolve(name));
    }
    syncNames(path.resolve("sets"));
    Set<String> needed = new HashSet<>();
    for (BackupSet set : sets.subList(gone, sets.size())) {
      set.files().forEach(file -> needed.add(file.name()));
    }
    try (Stream<Path> files = Files.list(path.resolve("files"))) {
      for (Path file : files.toList()) {
        if (!needed.contains(file.getFileName().toString())) {
          Files.delete(file);
        }
      }
    }
    return gone;
  }

  static void syncNames(Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
