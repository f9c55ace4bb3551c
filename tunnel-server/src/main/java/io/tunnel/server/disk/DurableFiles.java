package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates directories and complete files that survive a loss of power. A name is durable when its
 * directory was synced, regardless of syncs below.
 */
public final class DurableFiles {

  private static final Logger LOGGER = LoggerFactory.getLogger(DurableFiles.class);

  private DurableFiles() {}

  /**
   * Creates {@code directory} and its missing parents, from the top down. Syncs the names of
   * existing ones too: the process that created them may have died before its sync.
   *
   * @return {@code directory}
   */
  public static Path create(Path directory) throws IOException {
    create(directory.toAbsolutePath(), true);
    return directory;
  }

  private static void create(Path directory, boolean isAsked) throws IOException {
    boolean isThere = Files.isDirectory(directory);
    Path parent = directory.getParent();
    if (!isThere) {
      if (parent != null) {
        create(parent, false);
      }
      var unused = PrivateFiles.createDirectories(directory);
    }
    if (parent != null && (isAsked || !isThere)) {
      syncName(parent, directory);
    }
  }

  private static void syncName(Path parent, Path directory) throws IOException {
    try {
      syncNames(parent);
    } catch (AccessDeniedException e) {
      LOGGER.warn(
          "no permission to read {}, so the name of {} cannot be made durable", parent, directory);
    }
  }

  /** Makes creations, renames and deletions in {@code directory} durable. */
  public static void syncNames(Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /**
   * Replaces a complete file durably: after a crash there is either {@code content} or the old
   * state. A partly written file that found no space is deleted, because it may take the last free
   * bytes.
   */
  public static void replace(Path file, ByteBuffer content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      write(next, content);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      discard(next, e);
      throw e;
    }
    syncNames(file.toAbsolutePath().getParent());
  }

  private static void write(Path file, ByteBuffer content) throws IOException {
    try (FileChannel channel =
        PrivateFiles.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      new FileDisk.ChannelFile(channel).write(content, 0);
      channel.force(true);
    }
  }

  private static void discard(Path file, IOException failure) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
