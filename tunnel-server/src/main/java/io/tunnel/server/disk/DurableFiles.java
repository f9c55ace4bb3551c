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
 * Directories and whole files that are still there when the power comes back. A name is durable
 * when the directory that holds the name was synced, whatever was synced below.
 */
public final class DurableFiles {

  private static final Logger LOGGER = LoggerFactory.getLogger(DurableFiles.class);

  private DurableFiles() {}

  /**
   * Creates {@code directory}, and those above that do not exist, from the top down. The name of
   * one that exists is synced too: the process that created it may have died before its own sync.
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
          "{} may not be read, so nobody can make the name of {} durable", parent, directory);
    }
  }

  /** Makes the names of what was created, renamed and deleted in {@code directory} durable. */
  public static void syncNames(Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /**
   * Puts a whole file in place, durably: after a crash there is {@code content}, or what was there
   * before. A part of it that found no room does not stay: it may have taken all that was left.
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
