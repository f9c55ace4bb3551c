package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Creates directories with mode 0750 and files with mode 0640, even if the process's umask allows
 * more: only the server's user and group may read rows, changes, the catalog, audit lines and
 * backups. Existing files keep their modes. RocksDB creates its own files, in directories that this
 * class created.
 */
public final class PrivateFiles {

  private PrivateFiles() {}

  /** Creates the directory and its missing parents. */
  public static Path createDirectories(Path directory) throws IOException {
    return Files.createDirectories(directory, attributes(directory, "rwxr-x---"));
  }

  /** Opens a file like {@link FileChannel#open}, and creates it if the options say so. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), attributes(file, "rw-r-----"));
  }

  /**
   * Opens a file as {@link #open} does, and locks the file until the channel is closed. The lock is
   * shared where the options have {@code READ}. Empty while a conflicting lock is held, by another
   * program or in this program.
   */
  public static Optional<FileChannel> openLocked(Path file, OpenOption... options)
      throws IOException {
    boolean isShared = Set.of(options).contains(StandardOpenOption.READ);
    FileChannel channel = open(file, options);
    boolean isLocked = false;
    try {
      isLocked = channel.tryLock(0, Long.MAX_VALUE, isShared) != null;
    } catch (OverlappingFileLockException e) {
      // This program holds the lock.
    } finally {
      if (!isLocked) {
        channel.close();
      }
    }
    return isLocked ? Optional.of(channel) : Optional.empty();
  }

  /** Writes a complete text in UTF-8 like {@link Files#writeString}. */
  public static void write(Path file, String text, OpenOption... options) throws IOException {
    try (FileChannel channel = open(file, options)) {
      ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (left.hasRemaining()) {
        int unused = channel.write(left);
      }
    }
  }

  /** Deletes a file, or a directory with all that is in it; nothing where nothing is. */
  public static void deleteAll(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static FileAttribute<?>[] attributes(Path path, String rights) throws IOException {
    Path there = path.toAbsolutePath();
    while (there != null && Files.notExists(there)) {
      there = there.getParent();
    }
    boolean hasRights =
        there != null
            && Files.getFileStore(there).supportsFileAttributeView(PosixFileAttributeView.class);
    return hasRights
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))
        }
        : new FileAttribute<?>[0];
  }
}
