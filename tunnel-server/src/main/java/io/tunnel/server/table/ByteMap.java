package io.tunnel.server.table;

import java.io.Closeable;
import java.io.IOException;

/**
 * A sorted map from bytes to bytes, which holds the rows of a shard: RocksDB on a server, {@link
 * MemoryMap} where no disk is. Keys are ordered as unsigned bytes.
 *
 * <p>One thread at a time writes; any thread reads. The owner calls nothing after {@link #close}.
 *
 * <p>Crash: an unflushed write may be lost. If a write is lost, then all later writes are lost too,
 * except the entries of an {@link Addition}. No write reaches the disk before the log of the shard
 * is durable.
 */
public interface ByteMap extends Closeable {

  /** The value of a key, or null when there is none. */
  byte[] get(byte[] key) throws IOException;

  /** As {@link #get}, without the writes that a crash would roll back. */
  byte[] durable(byte[] key) throws IOException;

  /**
   * Applies the records of a serialised write batch of RocksDB ({@code WriteBatchSink}) in order,
   * all or none. A merge appends bytes to the value of the key.
   *
   * @throws io.tunnel.server.disk.DiskFullException when there is no space; nothing was written
   */
  void write(byte[] writeBatch) throws IOException;

  /** The map as it is now. */
  Moment moment();

  /** Iterates over all entries as they are now. */
  Cursor all();

  /**
   * Iterates over the entries from {@code first} on and before {@code end}, as they are now.
   *
   * @param isCached whether blocks that the cursor reads stay in the cache
   */
  Cursor between(byte[] first, byte[] end, boolean isCached);

  /** An estimate of the bytes that the entries between two keys take. */
  long approximateBytes(byte[] first, byte[] end);

  /**
   * Begins to write a file of entries. The keys of the entries rise, and the map has no key between
   * them. {@link Addition#finish} adds all entries durably.
   *
   * @param name names the file; used once
   */
  Addition add(String name) throws IOException;

  /**
   * Deletes files that lie between two keys, even without free space; the entries of other files
   * stay.
   */
  void deleteFiles(byte[] first, byte[] end) throws IOException;

  /** Lets the map rewrite its files from now on. */
  void compact() throws IOException;

  /** Begins to make all writes durable, unless a flush runs. */
  void startFlush() throws IOException;

  /** Makes all writes durable. */
  void flush() throws IOException;

  /** A figure of the map by its name in RocksDB; 0 for an unknown name. */
  long figure(String property);

  /** Releases the map. Does not flush. */
  @Override
  void close();

  /** Returns when everything that was appended to the log is durable. */
  @FunctionalInterface
  interface LogSync {
    /** Makes the log durable. */
    void sync() throws IOException;
  }

  /** The entries of one time. For any thread. */
  interface Moment {

    /**
     * The value of a key, or null when there is none.
     *
     * @throws io.tunnel.model.RefusedException CORRUPT or STORAGE_FAILED when the disk fails
     */
    byte[] get(byte[] key);

    /** As {@link ByteMap#between}; the blocks do not stay in the cache. */
    Cursor between(byte[] first, byte[] end);

    /** Releases the entries; once, when no thread reads from the snapshot. */
    void release();
  }

  /** An iterator over entries; first outside of the entries. For one thread. */
  interface Cursor extends AutoCloseable {

    /** Moves to the first entry. */
    void toFirst();

    /** Moves to the last entry. */
    void toLast();

    /** Moves to the first entry whose key is not below {@code key}. */
    void seek(byte[] key);

    /** Moves to the next entry. */
    void next();

    /** Moves to the entry before. */
    void prev();

    /** Whether the cursor is at an entry. */
    boolean isValid();

    /** The key of the entry. */
    byte[] key();

    /** The value of the entry. */
    byte[] value();

    /**
     * Refuses a walk that ended early: a cursor that cannot read on looks as if no entry came next.
     *
     * @throws io.tunnel.model.RefusedException CORRUPT or STORAGE_FAILED
     */
    void requireWhole();

    @Override
    void close();
  }

  /** Entries that become a file. For one thread. */
  interface Addition extends AutoCloseable {

    /** Adds the next entry. */
    void put(byte[] key, byte[] value) throws IOException;

    /** Adds all entries to the map. */
    void finish() throws IOException;

    /** Drops the entries, unless they were added. Idempotent. */
    @Override
    void close() throws IOException;
  }
}
