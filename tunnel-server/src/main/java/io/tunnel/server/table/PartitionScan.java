package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashSet;
import java.util.Set;

/**
 * All entries of a partition as they were at one time, in slices. A slice holds neither the store
 * nor its files when it has ended; only the snapshot lives as long as the scan. For one thread at a
 * time, which need not be the shard's; {@link #close} is for any thread.
 */
public final class PartitionScan implements AutoCloseable {

  private static final KeyRange[] RANGES = KeyRange.values();

  private final OpenReads reads;
  private final StoreSnapshot snapshot;
  private final int partition;

  /** Ids of the dictionaries that were visited. Dictionaries come before the rows that use them. */
  private final Set<Integer> dictionaries = new HashSet<>();

  /**
   * The place in {@link #RANGES} of the range that is visited; all ranges are visited at its end.
   */
  private int range;

  /** The key in the range where the next slice begins; empty at the beginning of the range. */
  private byte[] from = new byte[0];

  /** Is given the entries in order. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes an entry, or returns false to end the slice before the entry.
     *
     * @param key from {@code keyOffset} on, the key in its range
     * @param value of a row: one part
     */
    boolean entry(KeyRange range, byte[] key, int keyOffset, byte[] value);
  }

  PartitionScan(OpenReads reads, int partition) {
    this.reads = reads;
    this.partition = partition;
    this.snapshot = reads.take();
  }

  /**
   * Visits entries from where the last slice ended.
   *
   * @return whether all entries were visited
   * @throws RefusedException CORRUPT or STORAGE_FAILED when an entry cannot be read, or names a
   *     dictionary that the partition does not have; SHUTTING_DOWN when the scan or the store is
   *     closed
   */
  public boolean run(Visitor visitor) {
    if (!reads.begin(snapshot)) {
      throw new RefusedException(
          ErrorCode.SHUTTING_DOWN, "the scan of partition " + partition + " is closed");
    }
    try {
      while (range < RANGES.length) {
        if (!visit(RANGES[range], visitor)) {
          return false;
        }
        range++;
        from = new byte[0];
      }
      return true;
    } finally {
      reads.end(snapshot);
    }
  }

  private boolean visit(KeyRange visited, Visitor visitor) {
    byte[] first = visited.first(partition);
    try (ByteMap.Cursor at =
        snapshot.taken.between(from.length == 0 ? first : from, visited.end(partition))) {
      for (at.toFirst(); at.isValid(); at.next()) {
        byte[] key = at.key();
        if (!visitor.entry(
            visited, key, first.length, checked(visited, key, first.length, at.value()))) {
          from = key;
          return false;
        }
      }
      at.requireWhole();
      return true;
    }
  }

  private byte[] checked(KeyRange visited, byte[] key, int keyOffset, byte[] value) {
    try {
      visited.requireEntry(key.length - keyOffset, value.length);
      if (visited == KeyRange.DICTIONARY) {
        dictionaries.add(StoreFormat.dictionaryId(key));
      }
      return visited == KeyRange.ROW ? onePart(value) : value;
    } catch (MalformedException e) {
      throw new RefusedException(
          ErrorCode.CORRUPT,
          "an entry of partition "
              + partition
              + " in the range "
              + visited
              + " cannot be read: "
              + e.getMessage());
    }
  }

  private byte[] onePart(byte[] value) {
    byte[] part = StoredRow.onePart(value, snapshot.namesOf(partition));
    int dictionary = Binary.value(StoredRow.dictionaryId(part, 0));
    if (dictionary != StoreFormat.INLINE_DICTIONARY && !dictionaries.contains(dictionary)) {
      throw new MalformedException("a row names the missing dictionary " + dictionary);
    }
    return part;
  }

  /** Releases the snapshot, after a slice that runs; idempotent. */
  @Override
  public void close() {
    snapshot.close();
  }
}
