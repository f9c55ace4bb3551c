package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ColumnOf;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.judge.Judge;
import io.tunnel.condition.judge.NamedCells;
import io.tunnel.model.PrimaryKeySchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Evaluates a condition over rows of one partition in the bytes of the store: each part of a row on
 * top of the parts before it. Made for a page of rows; not thread-safe.
 */
public final class RowJudge {

  /** Dictionaries whose names are kept; most partitions have a few. */
  private static final int KEPT_MAX = 64;

  private final Judge judge;

  /** Which names of a dictionary the condition names, by the dictionary's id. */
  private final Map<Integer, NamedCells> namesByDictionary = new HashMap<>();

  /** The names that a row carries itself. */
  private final NamedCells inline;

  /** The dictionary of the part before, and its names; nearly all rows share a dictionary. */
  private int lastId = StoreFormat.INLINE_DICTIONARY;

  private NamedCells last;

  /**
   * An evaluator of {@code condition}.
   *
   * @throws IllegalArgumentException when the condition names what rows do not have
   */
  public RowJudge(Condition condition, List<PrimaryKeySchema> key) {
    judge = new Judge(condition, ConditionPlace.ofRows(key));
    inline = judge.namedCells(ColumnOf.ROW);
    last = inline;
  }

  /** Whether the condition holds of a PUT row of a batch. */
  public boolean holdsOf(RowCursor row) {
    return judge.holdsOf(row);
  }

  /**
   * Whether the condition holds of a stored row.
   *
   * @param rowKey the key in the store
   * @param dictionaries a dictionary of the row's partition by its id, as it is stored
   */
  boolean holdsOf(byte[] rowKey, byte[] value, IntFunction<byte[]> dictionaries) {
    judge.begin();
    judge.key(rowKey, StoreFormat.PARTITION_BYTES, rowKey.length - StoreFormat.PARTITION_BYTES);
    int at = 0;
    do {
      long id = StoredRow.dictionaryId(value, at);
      int columnsOffset;
      NamedCells names;
      if (Binary.value(id) == StoreFormat.INLINE_DICTIONARY) {
        long count = Binary.getVarint(value, Binary.next(id), value.length);
        long bytes = Binary.getVarint(value, Binary.next(count), value.length);
        int from = Binary.next(bytes);
        columnsOffset = from + Binary.value(bytes);
        inline.read(value, from, columnsOffset, Binary.value(count));
        names = inline;
      } else {
        columnsOffset = Binary.next(id);
        names = named(Binary.value(id), dictionaries);
      }
      at = judge.columns(value, columnsOffset, value.length, names);
    } while (at < value.length);
    return judge.holds();
  }

  private NamedCells named(int id, IntFunction<byte[]> dictionaries) {
    if (id == lastId) {
      return last;
    }
    NamedCells names = namesByDictionary.get(id);
    if (names == null) {
      names = judge.namedCells(ColumnOf.ROW);
      byte[] stored = dictionaries.apply(id);
      long count = Binary.getVarint(stored, 0, stored.length);
      names.read(stored, Binary.next(count), stored.length, Binary.value(count));
      if (namesByDictionary.size() == KEPT_MAX) {
        namesByDictionary.clear();
      }
      namesByDictionary.put(id, names);
    }
    lastId = id;
    last = names;
    return names;
  }
}
