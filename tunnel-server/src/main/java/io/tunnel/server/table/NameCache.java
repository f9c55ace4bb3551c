package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.Dictionary;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Dictionaries that were used lately, up to a number of bytes of heap. A dictionary that no reader
 * has used since it was looked at last is evicted first (second chance).
 *
 * <p>Any thread may look dictionaries up, without a lock; the monitor guards what is added and
 * evicted.
 */
final class NameCache {

  /** Bytes of the objects of a dictionary: the entry, its key and its arrays. */
  private static final int ENTRY_BYTES = 256;

  /** Bytes of the objects of a name, and of the reference to it. */
  private static final int NAME_BYTES = 64;

  private final long bytesMax;
  private final Map<Key, Entry> entries = new ConcurrentHashMap<>();

  /** All entries, the one to be looked at next in front. */
  private final ArrayDeque<Entry> order = new ArrayDeque<>();

  /** Bytes of all entries; at most {@link #bytesMax} when no thread is inside. */
  private long bytes;

  /** A dictionary of a partition, or with partition 0 one that partitions share. */
  record Key(int partition, int id) {}

  /** A dictionary as it is stored, and its names. */
  static final class Entry {
    private final Key key;
    private final byte[] stored;
    private final String[] names;

    /** Whether a reader has used it since it was looked at last. */
    private volatile boolean isUsed;

    private Entry(Key key, byte[] stored, String[] names) {
      this.key = key;
      this.stored = stored;
      this.names = names;
    }

    /** Not to be changed. */
    byte[] stored() {
      return stored;
    }

    /** Not to be changed. */
    String[] names() {
      return names;
    }

    private long bytes() {
      return ENTRY_BYTES + 2L * stored.length + (long) NAME_BYTES * names.length;
    }
  }

  /** At most {@code bytesMax} bytes; what is larger alone is not kept. */
  NameCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** The dictionary, or null when it is not here. */
  Entry get(Key key) {
    Entry entry = entries.get(key);
    if (entry != null && !entry.isUsed) {
      entry.isUsed = true;
    }
    return entry;
  }

  /** Adds a dictionary as it is stored: the number of its names, then the names. */
  Entry add(Key key, byte[] stored) {
    long count = Binary.getVarint(stored, 0, stored.length);
    String[] names =
        Dictionary.decode(stored, Binary.next(count), stored.length, Binary.value(count));
    Entry entry = new Entry(key, stored, names);
    if (entry.bytes() <= bytesMax) {
      keep(entry);
    }
    return entry;
  }

  private synchronized void keep(Entry entry) {
    if (entries.putIfAbsent(entry.key, entry) != null) {
      return;
    }
    bytes += entry.bytes();
    while (bytes > bytesMax) {
      Entry oldest = order.remove();
      if (oldest.isUsed) {
        oldest.isUsed = false;
        order.add(oldest);
      } else {
        remove(oldest);
      }
    }
    order.add(entry);
  }

  private void remove(Entry entry) {
    entries.remove(entry.key);
    bytes -= entry.bytes();
  }

  /** Forgets the dictionaries of a partition. */
  synchronized void drop(int partition) {
    order.removeIf(
        entry -> {
          boolean isOfIt = entry.key.partition() == partition;
          if (isOfIt) {
            remove(entry);
          }
          return isOfIt;
        });
  }

  /** Bytes of heap that are counted for what is kept. */
  synchronized long bytes() {
    return bytes;
  }
}
