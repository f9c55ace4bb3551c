package io.tunnel.server.table;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.Dictionary;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.UsedNames;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * The column-name dictionaries of a store. A row names its columns by a dictionary of its
 * partition, stored once for all rows that use it, or carries the names that it uses itself. All
 * dictionaries are on disk, and go with their partition; in memory are those that were used lately,
 * and what tells a batch that its dictionary is stored already.
 *
 * <p>A dictionary is stored when that takes less space than the names in the rows, or when a second
 * batch has it: writers of one shape share one, and names that come once do not become
 * dictionaries.
 *
 * <p>One thread at a time adds and drops; any thread looks names up. An id that was given out is
 * not given out again before the store is opened again, also when its partition was dropped, so
 * what a reader has put into the cache late is never taken for something else.
 */
final class Dictionaries {

  /** Dictionaries of a partition; rows of further shapes carry their names. */
  static final int PARTITION_COUNT_MAX = 1_024;

  /** Bytes of the dictionaries of a partition. */
  static final int PARTITION_BYTES_MAX = 4 << 20;

  /** Bytes of heap for names that were used lately. */
  static final int CACHE_BYTES_MAX = 8 << 20;

  /** Stored dictionaries that the memory has a hash and an id of, at some 80 bytes each. */
  static final int KNOWN_MAX = 65_536;

  /** Hashes of shapes that came once. */
  private static final int SEEN_COUNT = 1_024;

  private final Source source;
  private final NameCache cache;
  private final UsedNames usedNames = new UsedNames();

  /** Dictionaries that are stored, by partition, those used lately at the end. */
  private final LinkedHashMap<Integer, Known> knownByPartition =
      new LinkedHashMap<>(16, .75f, true);

  /** Those of all partitions. */
  private int knownCount;

  /** Dictionaries that are given out and not in the store yet. */
  private final Map<NameCache.Key, byte[]> unstored = new LinkedHashMap<>();

  private long unstoredBytes;

  /** Hashes of shapes that came once, each at the place that its hash names. */
  private final long[] seen = new long[SEEN_COUNT];

  /** No partition that was dropped has had an id above it. */
  private int droppedIdMax = StoreFormat.INLINE_DICTIONARY;

  /** What is stored. */
  interface Source {
    /** The value of a key, or null when there is none; for any thread. */
    byte[] get(byte[] key);

    /** Visits the keys with the prefix, in key order. */
    void forEach(byte[] prefix, BiConsumer<byte[], byte[]> visitor);
  }

  /** The dictionaries of one partition. */
  private static final class Known {
    private final Map<Long, Integer> idByHash = new HashMap<>();
    private int lastId;
    private long bytes;

    void add(int id, byte[] stored) {
      idByHash.putIfAbsent(hash(stored, 0, stored.length), id);
      lastId = Math.max(lastId, id);
      bytes += stored.length;
    }
  }

  Dictionaries(Source source) {
    this(source, CACHE_BYTES_MAX);
  }

  Dictionaries(Source source, long cacheBytesMax) {
    this.source = source;
    this.cache = new NameCache(cacheBytesMax);
  }

  /** Bytes of heap that are counted for names that were used lately. */
  long cachedBytes() {
    return cache.bytes();
  }

  /** Stored dictionaries that the memory has a hash and an id of. */
  int knownCount() {
    return knownCount;
  }

  /**
   * The id of a batch's dictionary, {@link StoreFormat#INLINE_DICTIONARY} when its rows carry their
   * names. A new one is handed to the next {@link #storeNew}.
   */
  int idOf(ChangeBatch batch) {
    int length = batch.dictionaryBytes();
    ByteSink stored = new ByteSink(5 + length);
    stored.writeVarint(batch.nameCount());
    stored.write(batch.array(), batch.dictionaryOffset(), length);
    long hash = hash(stored.array(), 0, stored.size());
    Known known = known(batch.partition());
    Integer id = known.idByHash.get(hash);
    if (id != null) {
      return isStoredAs(batch.partition(), id, stored) ? id : StoreFormat.INLINE_DICTIONARY;
    }
    boolean isWorthIt = !isFull(known, stored) && (isSeen(hash) || saves(batch));
    return isWorthIt ? add(batch.partition(), known, stored) : StoreFormat.INLINE_DICTIONARY;
  }

  /** The id of the dictionary of a row of these names, in their order. */
  int idOf(int partition, SortedSet<String> names) {
    byte[] encoded = Dictionary.encode(names.toArray(new String[0]));
    ByteSink stored = new ByteSink(5 + encoded.length);
    stored.writeVarint(names.size());
    stored.write(encoded, 0, encoded.length);
    long hash = hash(stored.array(), 0, stored.size());
    Known known = known(partition);
    Integer id = known.idByHash.get(hash);
    if (id != null) {
      return isStoredAs(partition, id, stored) ? id : StoreFormat.INLINE_DICTIONARY;
    }
    return isSeen(hash) ? add(partition, known, stored) : StoreFormat.INLINE_DICTIONARY;
  }

  /** Two dictionaries may have one hash; then only the first of them is stored. */
  private boolean isStoredAs(int partition, int id, ByteSink dictionary) {
    byte[] stored = unstored.get(new NameCache.Key(partition, id));
    if (stored == null) {
      stored = entry(partition, id, source::get).stored();
    }
    return Arrays.equals(stored, 0, stored.length, dictionary.array(), 0, dictionary.size());
  }

  private static long hash(byte[] array, int offset, int length) {
    return ((long) length << 32) | (Checksum.crc32c(array, offset, length) & 0xffff_ffffL);
  }

  /** Whether a shape came before, as far as that is remembered; it has come now. */
  private boolean isSeen(long hash) {
    int place = (int) Long.remainderUnsigned(hash, SEEN_COUNT);
    boolean isSeen = seen[place] == hash;
    seen[place] = hash;
    return isSeen;
  }

  /** Whether the names of its rows, each with its own, take more space than the dictionary. */
  private boolean saves(ChangeBatch batch) {
    long bytes = 0;
    RowCursor row = batch.rows();
    while (bytes <= batch.dictionaryBytes() && row.next()) {
      usedNames.look(row);
      bytes += usedNames.namesBytes();
    }
    usedNames.clear();
    return bytes > batch.dictionaryBytes();
  }

  private static boolean isFull(Known known, ByteSink dictionary) {
    return known.idByHash.size() >= PARTITION_COUNT_MAX
        || known.bytes + dictionary.size() > PARTITION_BYTES_MAX;
  }

  private int add(int partition, Known known, ByteSink dictionary) {
    int id = Math.max(known.lastId, droppedIdMax) + 1;
    if (isFull(known, dictionary)) {
      return StoreFormat.INLINE_DICTIONARY;
    }
    byte[] stored = dictionary.toByteArray();
    known.add(id, stored);
    knownCount++;
    unstored.put(new NameCache.Key(partition, id), stored);
    unstoredBytes += stored.length;
    return id;
  }

  private Known known(int partition) {
    Known known = knownByPartition.get(partition);
    if (known == null) {
      Known found = new Known();
      source.forEach(
          StoreFormat.dictionariesOf(partition),
          (key, stored) -> found.add(StoreFormat.dictionaryId(key), stored));
      knownCount += found.idByHash.size();
      knownByPartition.put(partition, found);
      known = found;
    }
    return known;
  }

  /**
   * Writes the new ones. They are looked for in the store only after {@link #stored}, which is to
   * be called when the write is done.
   */
  void storeNew(WriteBatchSink sink) {
    unstored.forEach((key, bytes) -> sink.put(StoreFormat.dictionaryKey(key), bytes));
  }

  /** What {@link #storeNew} wrote is in the store. */
  void stored() {
    unstored.clear();
    unstoredBytes = 0;
    Iterator<Known> eldest = knownByPartition.values().iterator();
    while (knownCount > KNOWN_MAX && knownByPartition.size() > 1) {
      knownCount -= eldest.next().idByHash.size();
      eldest.remove();
    }
  }

  /** Bytes that {@link #storeNew} writes. */
  long unstoredBytes() {
    return unstoredBytes;
  }

  /**
   * A partition is dropped, and its dictionaries with it.
   *
   * @return no dictionary of the partition may have had a higher id since the store was opened
   */
  int drop(int partition) {
    Known known = known(partition);
    droppedIdMax = Math.max(droppedIdMax, known.lastId);
    knownByPartition.remove(partition);
    knownCount -= known.idByHash.size();
    cache.drop(partition);
    return droppedIdMax;
  }

  /** The names of the dictionaries that rows of a partition use, by id. */
  IntFunction<String[]> namesOf(int partition) {
    return namesOf(partition, source::get);
  }

  /** As {@link #namesOf(int)}, for rows of a snapshot whose dictionaries {@code moment} has. */
  IntFunction<String[]> namesOf(int partition, UnaryOperator<byte[]> moment) {
    return id -> entry(partition, id, moment).names();
  }

  /** The dictionaries of a partition as they are stored, by id; not to be changed. */
  IntFunction<byte[]> storedOf(int partition) {
    return id -> entry(partition, id, source::get).stored();
  }

  private NameCache.Entry entry(int partition, int id, UnaryOperator<byte[]> moment) {
    NameCache.Key key = new NameCache.Key(partition, id);
    NameCache.Entry cached = cache.get(key);
    if (cached != null) {
      return cached;
    }
    byte[] stored = moment.apply(StoreFormat.dictionaryKey(key));
    if (stored == null) {
      throw new RefusedException(
          ErrorCode.WRONG_PARTITION,
          "a row of partition "
              + partition
              + " uses dictionary "
              + id
              + ", which the store has no more: the partition was dropped while its rows were read;"
              + " read the table's partition map again");
    }
    return cache.add(key, stored);
  }
}
