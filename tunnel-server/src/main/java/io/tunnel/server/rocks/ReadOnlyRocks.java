package io.tunnel.server.rocks;

import io.tunnel.server.table.ByteMap;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.MergeOperator;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * A RocksDB that is only looked at: no file of it is made, changed or deleted, also not the one
 * that RocksDB would write its own messages to.
 */
public final class ReadOnlyRocks implements Closeable {

  private static final int ATTEMPTS_MAX = 20;

  private final MergeOperator append = StoreResources.appendParts();
  private final Options options = new Options().setMergeOperator(append);
  private final RocksLog log;
  private final RocksDB db;

  static {
    RocksLibrary.load();
  }

  /**
   * Opens the store in {@code directory}, including the rows in its write-ahead log.
   *
   * @throws IOException when the store is missing or cannot be read
   */
  public ReadOnlyRocks(Path directory) throws IOException {
    if (!Files.exists(directory.resolve("CURRENT"))) {
      closeOptions();
      throw new IOException("there is no store in " + directory + ": it has no file CURRENT");
    }
    // RocksDB's warnings concern only tuning.
    log = new RocksLog(directory.toString(), InfoLogLevel.ERROR_LEVEL);
    options.setLogger(log);
    RocksDB opened;
    try {
      opened = RocksDB.openReadOnly(options, directory.toString());
    } catch (RocksDBException e) {
      log.close();
      closeOptions();
      throw new IOException("cannot read the store in " + directory + ": " + e.getMessage(), e);
    }
    db = opened;
  }

  /** Looks at an open store. */
  @FunctionalInterface
  public interface Look {
    /** Once, or again when files were changed meanwhile. */
    void at(ReadOnlyRocks rocks) throws IOException;
  }

  /**
   * Looks at a store that another process may write to, as often as is needed for a look that fell
   * between two changes of its files: what is in the write-ahead log may become a file, and the log
   * be deleted, while both are read.
   *
   * @throws IOException when the store cannot be read, or changes with every look
   */
  public static void whileUnchanged(Path directory, Look look) throws IOException {
    IOException failure = null;
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      String before = stamp(directory);
      try (ReadOnlyRocks rocks = new ReadOnlyRocks(directory)) {
        look.at(rocks);
        failure = null;
      } catch (IOException e) {
        failure = e;
      }
      if (before.equals(stamp(directory))) {
        break;
      }
      failure = new IOException("the files in " + directory + " change all the time", failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** A stamp that changes when the set of current files changes. */
  private static String stamp(Path directory) throws IOException {
    Path current = directory.resolve("CURRENT");
    if (!Files.exists(current)) {
      return "";
    }
    String manifest = Files.readString(current).strip();
    Path file = directory.resolve(manifest);
    return manifest + " " + (Files.exists(file) ? Files.size(file) : -1);
  }

  /** Is given what is stored, in the order of the keys. */
  @FunctionalInterface
  public interface EntryVisitor {
    /** One of them. */
    void entry(byte[] key, byte[] value) throws IOException;
  }

  /** Visits everything, or fails. */
  public void forEach(EntryVisitor visitor) throws IOException {
    try (RocksIterator at = db.newIterator()) {
      for (at.seekToFirst(); at.isValid(); at.next()) {
        visitor.entry(at.key(), at.value());
      }
      at.status();
    } catch (RocksDBException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Reads every block of every file.
   *
   * @throws IOException when one does not match its checksum
   */
  public void verify() throws IOException {
    try {
      db.verifyChecksum();
    } catch (RocksDBException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** The value of a key, or null when there is none. */
  public byte[] get(byte[] key) throws IOException {
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  /** Iterates over all entries. */
  public ByteMap.Cursor all() {
    return new RocksWalk(db.newIterator());
  }

  /**
   * The current files.
   *
   * @param names of the files of entries
   * @param manifestBytes length of the manifest
   */
  public record LiveFiles(List<String> names, long manifestBytes) {

    /** Keeps a copy. */
    public LiveFiles {
      names = List.copyOf(names);
    }
  }

  /** The files that the store consists of now. */
  public LiveFiles files() throws IOException {
    try {
      RocksDB.LiveFiles live = db.getLiveFiles(false);
      List<String> names =
          live.files.stream()
              .map(name -> name.startsWith("/") ? name.substring(1) : name)
              .filter(name -> name.endsWith(".sst"))
              .toList();
      return new LiveFiles(names, live.manifestFileSize);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  @Override
  public void close() {
    db.close();
    log.close();
    closeOptions();
  }

  private void closeOptions() {
    options.close();
    append.close();
  }
}
