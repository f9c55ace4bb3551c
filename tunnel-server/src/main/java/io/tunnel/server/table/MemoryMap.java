package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A map in memory, for tables without a disk. A cursor and a {@link Moment} see the entries of
 * their begin: the first write while one is open copies the map, and writes to the copy. So a
 * reader costs nothing, and a writer pays for readers that last.
 *
 * <p>{@link #flush} has no disk; it marks the entries that {@link #afterCrash} has. Safe for use by
 * any thread.
 */
final class MemoryMap implements ByteMap {

  private final LogSync syncLog;
  private Version now;
  private Version flushed;

  /** Entries. A version with readers never changes. Guarded by the monitor of the map. */
  private static final class Version {
    private final TreeMap<byte[], byte[]> entries;
    private int readers;

    Version(NavigableMap<byte[], byte[]> entries) {
      this.entries = new TreeMap<>(Arrays::compareUnsigned);
      this.entries.putAll(entries);
    }
  }

  /**
   * A map without entries.
   *
   * @param syncLog makes the log durable; called before a flush, as RocksDB does it
   */
  MemoryMap(LogSync syncLog) {
    this(syncLog, new Version(new TreeMap<>(Arrays::compareUnsigned)));
  }

  private MemoryMap(LogSync syncLog, Version version) {
    this.syncLog = syncLog;
    this.now = version;
    this.flushed = version;
    version.readers++;
  }

  /** The map that a crash leaves: the entries of the last flush. */
  synchronized MemoryMap afterCrash(LogSync nextSyncLog) {
    return new MemoryMap(nextSyncLog, flushed);
  }

  @Override
  public synchronized byte[] get(byte[] key) {
    return copy(now.entries.get(key));
  }

  @Override
  public synchronized byte[] durable(byte[] key) {
    return copy(flushed.entries.get(key));
  }

  /** As a native map: what a caller does to its array changes no entry. */
  private static byte[] copy(byte[] value) {
    return value == null ? null : value.clone();
  }

  @Override
  public synchronized void write(byte[] writeBatch) {
    new Records(writeBatch).apply(writable());
  }

  private NavigableMap<byte[], byte[]> writable() {
    if (now.readers > 0) {
      now = new Version(now.entries);
    }
    return now.entries;
  }

  /** Reads the records of a write one by one. */
  private static final class Records {
    private final byte[] array;
    private int at = WriteBatchSink.HEADER_BYTES;

    Records(byte[] array) {
      this.array = array;
    }

    void apply(NavigableMap<byte[], byte[]> entries) {
      while (at < array.length) {
        int type = array[at++];
        byte[] key = sized();
        switch (type) {
          case WriteBatchSink.DELETE -> entries.remove(key);
          case WriteBatchSink.PUT -> entries.put(key, sized());
          case WriteBatchSink.MERGE -> entries.merge(key, sized(), Records::append);
          case WriteBatchSink.DELETE_RANGE -> remove(entries, key, sized());
          default -> throw new IllegalArgumentException("a record of the unknown type " + type);
        }
      }
    }

    private static void remove(NavigableMap<byte[], byte[]> entries, byte[] first, byte[] end) {
      if (Arrays.compareUnsigned(first, end) < 0) {
        entries.subMap(first, true, end, false).clear();
      }
    }

    private byte[] sized() {
      long length = Binary.getVarint(array, at, array.length);
      int from = Binary.next(length);
      at = from + Binary.value(length);
      return Arrays.copyOfRange(array, from, at);
    }

    private static byte[] append(byte[] value, byte[] part) {
      byte[] both = Arrays.copyOf(value, value.length + part.length);
      System.arraycopy(part, 0, both, value.length, part.length);
      return both;
    }
  }

  private synchronized Version beginRead() {
    now.readers++;
    return now;
  }

  private synchronized void endRead(Version version) {
    version.readers--;
  }

  @Override
  public Moment moment() {
    Version taken = beginRead();
    return new Moment() {
      @Override
      public byte[] get(byte[] key) {
        return copy(taken.entries.get(key));
      }

      @Override
      public Cursor between(byte[] first, byte[] end) {
        return new Walk(range(taken, first, end), () -> {});
      }

      @Override
      public void release() {
        endRead(taken);
      }
    };
  }

  private static NavigableMap<byte[], byte[]> range(Version version, byte[] first, byte[] end) {
    return Arrays.compareUnsigned(first, end) < 0
        ? version.entries.subMap(first, true, end, false)
        : new TreeMap<>(Arrays::compareUnsigned);
  }

  @Override
  public Cursor all() {
    Version taken = beginRead();
    return new Walk(taken.entries, () -> endRead(taken));
  }

  @Override
  public Cursor between(byte[] first, byte[] end, boolean isCached) {
    Version taken = beginRead();
    return new Walk(range(taken, first, end), () -> endRead(taken));
  }

  private static final class Walk implements Cursor {
    private final NavigableMap<byte[], byte[]> entries;
    private final Runnable whenClosed;
    private Map.Entry<byte[], byte[]> at;
    private boolean isClosed;

    Walk(NavigableMap<byte[], byte[]> entries, Runnable whenClosed) {
      this.entries = entries;
      this.whenClosed = whenClosed;
    }

    @Override
    public void toFirst() {
      at = entries.firstEntry();
    }

    @Override
    public void toLast() {
      at = entries.lastEntry();
    }

    @Override
    public void seek(byte[] key) {
      at = entries.ceilingEntry(key);
    }

    @Override
    public void next() {
      at = entries.higherEntry(at.getKey());
    }

    @Override
    public void prev() {
      at = entries.lowerEntry(at.getKey());
    }

    @Override
    public boolean isValid() {
      return at != null;
    }

    @Override
    public byte[] key() {
      return at.getKey().clone();
    }

    @Override
    public byte[] value() {
      return at.getValue().clone();
    }

    @Override
    public void requireWhole() {
      // Memory is always readable.
    }

    @Override
    public void close() {
      if (!isClosed) {
        isClosed = true;
        whenClosed.run();
      }
    }
  }

  @Override
  public synchronized long approximateBytes(byte[] first, byte[] end) {
    long bytes = 0;
    for (Map.Entry<byte[], byte[]> entry : range(now, first, end).entrySet()) {
      bytes += entry.getKey().length + entry.getValue().length;
    }
    return bytes;
  }

  /** The entries are in memory until they are added, durably. */
  @Override
  public Addition add(String name) {
    TreeMap<byte[], byte[]> added = new TreeMap<>(Arrays::compareUnsigned);
    return new Addition() {
      @Override
      public void put(byte[] key, byte[] value) {
        added.put(key.clone(), value.clone());
      }

      @Override
      public void finish() {
        addAll(added);
      }

      @Override
      public void close() {
        added.clear();
      }
    };
  }

  private synchronized void addAll(NavigableMap<byte[], byte[]> added) {
    writable().putAll(added);
    Version kept = new Version(flushed.entries);
    kept.entries.putAll(added);
    keep(kept);
  }

  private void keep(Version kept) {
    kept.readers++;
    flushed.readers--;
    flushed = kept;
  }

  @Override
  public void deleteFiles(byte[] first, byte[] end) {
    // There is no file.
  }

  @Override
  public void compact() {
    // There is no file.
  }

  @Override
  public void startFlush() throws IOException {
    flush();
  }

  @Override
  public void flush() throws IOException {
    // The monitor is not held here: the log has locks of its own. A write after the sync may enter
    // the flush only if its log is durable, so the version is taken first.
    Version version = beginRead();
    try {
      syncLog.sync();
      flushed(version);
    } finally {
      endRead(version);
    }
  }

  private synchronized void flushed(Version version) {
    keep(version);
  }

  @Override
  public long figure(String property) {
    return 0;
  }

  @Override
  public void close() {
    // Memory needs no release.
  }
}
