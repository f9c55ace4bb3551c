package io.tunnel.server.engine;

import io.tunnel.model.Level;
import io.tunnel.server.catalog.store.DirectoryFormat;
import io.tunnel.server.catalog.store.StoredForm;
import io.tunnel.server.cluster.OwnLevel;
import io.tunnel.server.disk.CannotStartException;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.terminal.Diagnosis;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A server's data directory, which this process alone uses: it locks {@code LOCK}. {@code FORMAT}
 * holds, as JSON, the version of the stored form, the number of shards, and the level.
 */
public final class DataDirectory implements Closeable, OwnLevel {

  private final Path path;
  private final FileChannel lockFile;
  private volatile DirectoryFormat format;

  private DataDirectory(Path path, FileChannel lockFile, DirectoryFormat format) {
    this.path = path;
    this.lockFile = lockFile;
    this.format = format;
  }

  /**
   * Opens the directory, or creates one.
   *
   * @param shards number of shards of a new directory
   * @throws IOException when the directory cannot be written, another process uses it, or it holds
   *     another form, or has a level above {@link Level#NEWEST}
   */
  static DataDirectory open(Path path, int shards) throws IOException {
    return open(path, shards, Optional.empty());
  }

  /**
   * Opens the directory of a node of a cluster, which is a cache of the cluster's log.
   *
   * @param cluster the cluster's name; absent for a server without a cluster
   * @throws IOException also when the directory belongs to another cluster, or to a server without
   *     a cluster
   */
  public static DataDirectory open(Path path, int shards, Optional<String> cluster)
      throws IOException {
    FileChannel lockFile = lock(path);
    try {
      DirectoryFormat format = readFormat(path.resolve("FORMAT"), shards, cluster);
      StoredForm.require("the data directory " + path, format.format());
      requireSame(path, Optional.ofNullable(format.cluster()), cluster);
      format.requireServed(path);
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
    Optional<FileChannel> lockFile;
    try {
      DurableFiles.create(path);
      lockFile =
          PrivateFiles.openLocked(
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
    return lockFile.orElseThrow(
        () ->
            new CannotStartException(
                CannotStartException.Reason.IN_USE,
                "the data directory "
                    + path
                    + " is in use by another server; stop that server, or choose a directory with"
                    + " --data",
                null));
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

  private static DirectoryFormat readFormat(Path file, int shards, Optional<String> cluster)
      throws IOException {
    try {
      return DirectoryFormat.read(file);
    } catch (NoSuchFileException e) {
      requireUnused(file.getParent());
      DirectoryFormat fresh =
          DirectoryFormat.of(shards, cluster, cluster.isEmpty() ? Level.NEWEST : Level.FIRST);
      fresh.store(file);
      return fresh;
    }
  }

  /** Without FORMAT the number of shards that hold the directory's data is unknown. */
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
   * The catalog is created before the first shard, so shards without a catalog have lost it: a new
   * catalog would know none of their partitions, so their rows would be deleted and their ids given
   * again.
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
                + " holds changes and rows but no catalog, which assigns them to tables."
                + " Nothing was changed; restore the directory 'catalog' from a backup, or give"
                + " another directory with --data to start empty");
      }
    }
  }

  /** The path of the directory. */
  public Path path() {
    return path;
  }

  /** Number of shards in the directory. */
  public int shards() {
    return format.shards();
  }

  @Override
  public int level() {
    return format.levelOrFirst();
  }

  @Override
  public int levelMax() {
    return Level.NEWEST;
  }

  @Override
  public void raise(int to) throws IOException {
    DirectoryFormat raised = format.at(Math.max(level(), to));
    raised.store(path.resolve("FORMAT"));
    format = raised;
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
