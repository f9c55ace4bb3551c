package io.tunnel.server.rocks;

import io.tunnel.server.table.ByteMap;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** The map that RocksDB keeps in a directory, without a write-ahead log: the shard's log is one. */
public final class RocksMap implements ByteMap {

  /** Below the directory: files that a load writes, before RocksDB takes them in. */
  private static final String ADDED = "load";

  private final Path directory;
  private final StoreResources resources;
  private final RocksDB db;
  private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);

  private RocksMap(Path directory, StoreResources resources, RocksDB db) {
    this.directory = directory;
    this.resources = resources;
    this.db = db;
  }

  /** What a map is opened for. */
  public enum Tuning {
    /** Reads and writes. */
    NONE,
    /** Files stay as they are until {@link ByteMap#compact}. */
    UNCOMPACTED,
    /** The map is filled, and read later: writes never wait for compactions. */
    TO_FILL
  }

  /**
   * Opens the map in {@code directory}, or creates one.
   *
   * @param syncLog makes the log durable; called before writes go to disk
   * @throws IOException when the directory cannot be used; the message names the directory
   */
  public static RocksMap open(
      Path directory, TableStoreConfig config, LogSync syncLog, Tuning tuning) throws IOException {
    StoreResources resources = new StoreResources(directory.toString(), config, syncLog);
    try {
      switch (tuning) {
        case NONE -> {}
        case UNCOMPACTED -> resources.neverCompact();
        case TO_FILL -> resources.neverSlowDown();
      }
      deleteAdded(directory.resolve(ADDED));
      return new RocksMap(
          directory, resources, RocksDB.open(resources.options(), directory.toString()));
    } catch (RocksDBException | IOException | RuntimeException e) {
      resources.close();
      throw new IOException("cannot open the table in " + directory + ": " + e.getMessage(), e);
    }
  }

  /** Deletes the files that a crash left of loads. */
  private static void deleteAdded(Path left) throws IOException {
    if (Files.isDirectory(left)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(left)) {
        for (Path each : files) {
          Files.delete(each);
        }
      }
      Files.delete(left);
    }
  }

  @Override
  public byte[] get(byte[] key) throws IOException {
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  @Override
  public byte[] durable(byte[] key) throws IOException {
    try (ReadOptions onDisk = new ReadOptions().setReadTier(ReadTier.PERSISTED_TIER)) {
      return db.get(onDisk, key);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  @Override
  public void write(byte[] writeBatch) throws IOException {
    try (WriteBatch write = new WriteBatch(writeBatch)) {
      db.write(unlogged, write);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  @Override
  public Moment moment() {
    Snapshot taken = db.getSnapshot();
    return new Moment() {
      @Override
      public byte[] get(byte[] key) {
        try (ReadOptions then = new ReadOptions().setSnapshot(taken)) {
          return db.get(then, key);
        } catch (RocksDBException e) {
          throw RocksWalk.unreadable(e);
        }
      }

      @Override
      public Cursor between(byte[] first, byte[] end) {
        return walk(first, end, new ReadOptions().setSnapshot(taken).setFillCache(false));
      }

      @Override
      public void release() {
        db.releaseSnapshot(taken);
      }
    };
  }

  @Override
  public Cursor all() {
    return new RocksWalk(db.newIterator());
  }

  @Override
  public Cursor between(byte[] first, byte[] end, boolean isCached) {
    return walk(first, end, new ReadOptions().setFillCache(isCached));
  }

  private Cursor walk(byte[] first, byte[] end, ReadOptions options) {
    Slice lower = new Slice(first);
    Slice upper = new Slice(end);
    options.setIterateLowerBound(lower).setIterateUpperBound(upper);
    return new RocksWalk(db.newIterator(options), options, upper, lower);
  }

  @Override
  public long approximateBytes(byte[] first, byte[] end) {
    try (Slice start = new Slice(first);
        Slice limit = new Slice(end)) {
      return db.getApproximateSizes(
              List.of(new Range(start, limit)),
              SizeApproximationFlag.INCLUDE_FILES,
              SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
    }
  }

  @Override
  public Addition add(String name) throws IOException {
    Path file = Files.createDirectories(directory.resolve(ADDED)).resolve(name + ".sst");
    AddedFile added = new AddedFile(file);
    try {
      added.writer.get().open(file.toString());
      return added;
    } catch (RocksDBException e) {
      added.close();
      throw RocksWalk.failed(e);
    }
  }

  private final class AddedFile implements Addition {
    private final Path path;
    private final EnvOptions environment = new EnvOptions();
    private Optional<SstFileWriter> writer;

    AddedFile(Path path) {
      this.path = path;
      this.writer = Optional.of(new SstFileWriter(environment, resources.options()));
    }

    @Override
    public void put(byte[] key, byte[] value) throws IOException {
      try {
        writer.get().put(key, value);
      } catch (RocksDBException e) {
        throw RocksWalk.failed(e);
      }
    }

    @Override
    public void finish() throws IOException {
      try (IngestExternalFileOptions move = new IngestExternalFileOptions().setMoveFiles(true)) {
        writer.get().finish();
        db.ingestExternalFile(List.of(path.toString()), move);
      } catch (RocksDBException e) {
        throw RocksWalk.failed(e);
      }
      closeWriter();
    }

    private void closeWriter() {
      writer.ifPresent(SstFileWriter::close);
      writer = Optional.empty();
      environment.close();
    }

    @Override
    public void close() throws IOException {
      if (writer.isPresent()) {
        closeWriter();
        Files.deleteIfExists(path);
      }
    }
  }

  @Override
  public void deleteFiles(byte[] first, byte[] end) throws IOException {
    try {
      db.deleteFilesInRanges(db.getDefaultColumnFamily(), List.of(first, end), false);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  @Override
  public void compact() throws IOException {
    try {
      db.enableAutoCompaction(List.of(db.getDefaultColumnFamily()));
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  /** Waits neither for the flush nor for compactions. */
  @Override
  public void startFlush() throws IOException {
    try (FlushOptions begin = new FlushOptions().setWaitForFlush(false).setAllowWriteStall(true)) {
      if (db.getLongProperty("rocksdb.num-running-flushes") == 0) {
        db.flush(begin);
      }
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  /** Does not wait for compactions. */
  @Override
  public void flush() throws IOException {
    try (FlushOptions wait = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
      db.flush(wait);
    } catch (RocksDBException e) {
      throw RocksWalk.failed(e);
    }
  }

  @Override
  public long figure(String property) {
    try {
      return db.getLongProperty(property);
    } catch (RocksDBException e) {
      return 0;
    }
  }

  @Override
  public void close() {
    db.close();
    unlogged.close();
    resources.close();
  }
}
