package io.tunnel.server.engine;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.tunnel.server.disk.CannotStartException;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.terminal.Diagnosis;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The directory that a server keeps everything in, while it is this process's alone: {@code LOCK}
 * is locked, and {@code FORMAT} says, as JSON, what version of the stored form it holds and how
 * many shards.
 */
public final class DataDirectory implements Closeable {

  /** The stored form that this code reads and writes. */
  static final int FORMAT = 1;

  private static final Gson GSON = new Gson();

  private final Path path;
  private final FileChannel lockFile;
  private final Format format;

  /**
   * What {@code FORMAT} says.
   *
   * @param cluster whose cache it is; absent when the directory holds everything there is
   */
  private record Format(int format, int shards, String cluster) {}

  private DataDirectory(Path path, FileChannel lockFile, Format format) {
    this.path = path;
    this.lockFile = lockFile;
    this.format = format;
  }

  /**
   * Takes the directory, which is created when there is none.
   *
   * @param shards how many shards a new directory shall have
   * @throws IOException when it cannot be written, is in use by another process, or holds a newer
   *     form
   */
  static DataDirectory open(Path path, int shards) throws IOException {
    return open(path, shards, Optional.empty());
  }

  /**
   * Opens the directory of a node of a cluster, which is a cache of what the cluster has.
   *
   * @param cluster the cluster's name; absent for a server that is alone
   * @throws IOException also when it belongs to another cluster, or to a server that is alone
   */
  public static DataDirectory open(Path path, int shards, Optional<String> cluster)
      throws IOException {
    FileChannel lockFile = lock(path);
    try {
      Format format = readFormat(path.resolve("FORMAT"), shards, cluster);
      requireSame(path, Optional.ofNullable(format.cluster()), cluster);
      if (format.format() != FORMAT) {
        throw new IOException(
            "the data directory "
                + path
                + " has format "
                + format.format()
                + ", this server reads format "
                + FORMAT
                + "; use the version of the server that wrote it, or a newer one");
      }
      if (cluster.isEmpty()) {
        requireCatalog(path);
      }
      return new DataDirectory(path, lockFile, format);
    } catch (IOException | RuntimeException e) {
      lockFile.close();
      throw e;
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel lockFile;
    try {
      DurableFiles.create(path);
      lockFile =
          PrivateFiles.open(
              path.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException(
          "cannot write to the data directory "
              + path
              + ": "
              + Diagnosis.ofFile(e)
              + "; give another with --data",
          e);
    }
    FileLock lock = null;
    try {
      lock = lockFile.tryLock();
    } catch (OverlappingFileLockException e) {
      // Another server in this very process has it; said below like any other.
    }
    if (lock == null) {
      lockFile.close();
      throw new CannotStartException(
          CannotStartException.Reason.IN_USE,
          "the data directory "
              + path
              + " is in use by another server; stop that one, or give another with --data",
          null);
    }
    return lockFile;
  }

  private static void requireSame(Path path, Optional<String> is, Optional<String> asked)
      throws IOException {
    if (!is.equals(asked)) {
      throw new IOException(
          "the data directory "
              + path
              + " belongs to "
              + is.map(name -> "a node of cluster '" + name + "'").orElse("a server that is alone")
              + ", and not to "
              + asked.map(name -> "a node of cluster '" + name + "'").orElse("one that is alone")
              + "; give another with --data");
    }
  }

  private static Format readFormat(Path file, int shards, Optional<String> cluster)
      throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " does not say what format the data directory has", e);
    } catch (NoSuchFileException e) {
      requireUnused(file.getParent());
      Format fresh = new Format(FORMAT, shards, cluster.orElse(null));
      DurableFiles.replace(
          file, ByteBuffer.wrap(GSON.toJson(fresh).getBytes(StandardCharsets.UTF_8)));
      return fresh;
    }
    try {
      Format format = GSON.fromJson(text, Format.class);
      if (format != null
          && format.format() > 0
          && (format.format() != FORMAT || format.shards() > 0)) {
        return format;
      }
    } catch (JsonParseException e) {
      // Said below.
    }
    throw new IOException(
        file + " does not say what format the data directory has: '" + text + "'");
  }

  /** Without its FORMAT nobody knows how many shards the data of a directory is spread over. */
  private static void requireUnused(Path path) throws IOException {
    try (DirectoryStream<Path> data =
        Files.newDirectoryStream(path, "{catalog,shard-*,replicas}")) {
      if (data.iterator().hasNext()) {
        throw new IOException(
            "the data directory "
                + path
                + " holds data but no FORMAT file; restore that file, or give another with --data");
      }
    }
  }

  /**
   * A catalog is made before the first shard. Shards without one lost theirs: a new catalog would
   * know none of their partitions, so their rows would be deleted and their ids given again.
   */
  private static void requireCatalog(Path path) throws IOException {
    if (Files.exists(path.resolve("catalog").resolve("CURRENT"))) {
      return;
    }
    try (DirectoryStream<Path> shards = Files.newDirectoryStream(path, "shard-*")) {
      if (shards.iterator().hasNext()) {
        throw new IOException(
            "the data directory "
                + path
                + " holds changes and rows but no catalog, which says of which tables they are."
                + " Nothing was changed; restore the directory 'catalog' from a backup, or give"
                + " another directory with --data to start empty");
      }
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** How many shards it holds. */
  public int shards() {
    return format.shards();
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
