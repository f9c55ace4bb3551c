package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Dictionary;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * The column-name dictionaries of a store, each kept once and named by a number in every row that
 * uses it. Writers of one shape share one; there are at most {@link #COUNT_MAX}, and rows of
 * further shapes carry their names themselves.
 *
 * <p>One thread adds; any thread looks names up.
 */
final class Dictionaries {

  static final int COUNT_MAX = 4_096;
  private static final int BYTES_MAX = 64 * 1024;

  private final Map<Bytes, Integer> idByBytes = new HashMap<>();

  /** Of those that were asked for by sorted names, which is quicker than to encode them. */
  private final Map<List<String>, Integer> idByNames = new HashMap<>();

  private final List<Integer> unstored = new ArrayList<>();
  private final Map<Integer, Bytes> bytesById = new HashMap<>();

  private final String[][] namesById = new String[COUNT_MAX + 1][];

  /** Names up to this id may be read by any thread: written after them, read before them. */
  private volatile int publishedId;

  /** Takes over a stored one; ids come in rising order. */
  void load(int id, byte[] stored) {
    Bytes bytes = Bytes.copyOf(stored);
    idByBytes.put(bytes, id);
    bytesById.put(id, bytes);
    namesById[id] = decode(stored);
    publishedId = id;
  }

  /** The id of a batch's dictionary. */
  int idOf(ChangeBatch batch) {
    return idOf(
        batch.array(), batch.dictionaryOffset(), batch.dictionaryBytes(), batch.nameCount());
  }

  /** The id of the dictionary of these names, in their order. */
  int idOf(SortedSet<String> names) {
    List<String> key = List.copyOf(names);
    Integer known = idByNames.get(key);
    if (known != null) {
      return known;
    }
    byte[] encoded = Dictionary.encode(names.toArray(new String[0]));
    int id = idOf(encoded, 0, encoded.length, names.size());
    if (id != StoreFormat.INLINE_DICTIONARY) {
      idByNames.put(key, id);
    }
    return id;
  }

  /**
   * The id of a dictionary; new ones are handed to the next {@link #storeNew}. {@link
   * StoreFormat#INLINE_DICTIONARY} when there is no room for another.
   */
  int idOf(byte[] array, int offset, int length, int nameCount) {
    ByteSink stored = new ByteSink(5 + length);
    stored.writeVarint(nameCount);
    stored.write(array, offset, length);
    Bytes bytes = Bytes.copyOf(stored.array(), 0, stored.size());
    Integer known = idByBytes.get(bytes);
    if (known != null) {
      return known;
    }
    if (idByBytes.size() == COUNT_MAX || length > BYTES_MAX) {
      return StoreFormat.INLINE_DICTIONARY;
    }
    int id = idByBytes.size() + 1;
    load(id, bytes.toByteArray());
    unstored.add(id);
    return id;
  }

  /** Writes those that are not stored yet; they count as stored from now on. */
  void storeNew(WriteBatchSink sink) {
    for (int id : unstored) {
      sink.put(StoreFormat.dictionaryKey(id), bytesById.get(id).toByteArray());
    }
    unstored.clear();
  }

  /** The names of a dictionary. */
  String[] names(int id) {
    if (id > publishedId) {
      throw new IllegalStateException(
          "a row uses dictionary " + id + ", the store has " + publishedId);
    }
    return namesById[id];
  }

  private static String[] decode(byte[] stored) {
    long count = Binary.getVarint(stored, 0, stored.length);
    return Dictionary.decode(stored, Binary.next(count), stored.length, Binary.value(count));
  }
}
