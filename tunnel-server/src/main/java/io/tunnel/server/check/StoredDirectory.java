package io.tunnel.server.check;

import io.tunnel.server.catalog.store.DirectoryFormat;
import io.tunnel.server.catalog.store.StoredForm;
import io.tunnel.server.disk.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * An existing data directory that no server has open. The lock of this object, which is the lock of
 * the server, keeps servers out until the close; readers share the lock.
 */
public final class StoredDirectory implements Closeable {

  private final Path path;
  private final int shards;
  private final Optional<FileChannel> lockFile;

  private StoredDirectory(Path path, int shards, Optional<FileChannel> lockFile) {
    this.path = path;
    this.shards = shards;
    this.lockFile = lockFile;
  }

  /**
   * Holds a directory that is only read.
   *
   * @throws IOException when it is none, is in use, or belongs to a node of a cluster
   */
  public static StoredDirectory toRead(Path path) throws IOException {
    return open(path, true);
  }

  /** Opens a directory that will be changed. */
  public static StoredDirectory toChange(Path path) throws IOException {
    return open(path, false);
  }

  /** The number of shards of a directory, even while a server has the directory open. */
  public static int shardsOf(Path path) throws IOException {
    return format(path).shards();
  }

  /** The level of a directory, even while a server has the directory open. */
  public static int levelOf(Path path) throws IOException {
    return format(path).levelOrFirst();
  }

  private static StoredDirectory open(Path path, boolean isShared) throws IOException {
    DirectoryFormat format = format(path);
    return new StoredDirectory(path, format.shards(), lock(path, isShared));
  }

  private static DirectoryFormat format(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      throw new IOException(path + " is no directory");
    }
    Path file = path.resolve("FORMAT");
    DirectoryFormat format;
    try {
      format = DirectoryFormat.read(file);
    } catch (NoSuchFileException e) {
      throw new IOException(
          path
              + " is no data directory: it has no file FORMAT. If it holds 'catalog' and 'shard-*',"
              + " restore that file: {\"format\":"
              + StoredForm.NUMBER
              + ",\"shards\":N}, N being the number of 'shard-*' directories",
          e);
    }
    StoredForm.require("the data directory " + path, format.format());
    if (format.cluster() != null) {
      throw new IOException(
          path
              + " is the directory of a node of cluster '"
              + format.cluster()
              + "': everything in it is a cache of what Kafka has. When in doubt about it, stop the"
              + " node and delete the directory; the node reads it again");
    }
    format.requireServed(path);
    return format;
  }

  private static Optional<FileChannel> lock(Path path, boolean isShared) throws IOException {
    Optional<FileChannel> file;
    try {
      file =
          PrivateFiles.openLocked(
              path.resolve("LOCK"), isShared ? StandardOpenOption.READ : StandardOpenOption.WRITE);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    if (file.isEmpty()) {
      throw new DirectoryInUseException(
          "the data directory " + path + " is in use by a server; stop that one first");
    }
    return file;
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** How many shards it has. */
  public int shards() {
    return shards;
  }

  /** Where everything of a shard is. */
  public Path shard(int id) {
    return path.resolve("shard-" + id);
  }

  @Override
  public void close() throws IOException {
    if (lockFile.isPresent()) {
      lockFile.get().close();
    }
  }
}
