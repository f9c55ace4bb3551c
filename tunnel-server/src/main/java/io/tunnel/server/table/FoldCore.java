package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Limits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Turns changes into one write to the store. The changes of a partition are brought into the order
 * of their keys, and those of one key are made one: the last put or delete, with the updates behind
 * it. Updates alone become a part that is laid upon the stored row, whatever that is.
 *
 * <p>Each part makes its row a little dearer to read, so now and then an update reads its row and
 * writes all of it as one part. Chance says when, since nobody counts the parts of each row: of
 * {@value #UPDATES_PER_READ} updates one reads, and that a row has more than 400 parts is to be
 * expected once in 10^11 updates.
 */
final class FoldCore {

  /** A dictionary's id as a varint in front of a put's columns. */
  private static final int ID_BYTES_MAX = 5;

  static final int UPDATES_PER_READ = 16;

  private final Dictionaries dictionaries;
  private final RowSource stored;
  private final RandomGenerator chance;
  private final WriteBatchSink sink = new WriteBatchSink();
  private final KeyRuns runs = new KeyRuns();

  /** Where the stored value of a row comes from. */
  @FunctionalInterface
  interface RowSource {
    /** The value, or null when there is none. */
    byte[] get(byte[] rowKey);
  }

  FoldCore(Dictionaries dictionaries, RowSource stored, RandomGenerator chance) {
    this.dictionaries = dictionaries;
    this.stored = stored;
    this.chance = chance;
  }

  /**
   * The write that folds {@code batches}, in order, and records {@code foldedOffset} and what is
   * beside the rows.
   */
  byte[] fold(List<ChangeBatch> batches, long foldedOffset, BesideRows beside) {
    sink.clear();
    Map<Integer, List<ChangeBatch>> byPartition = new LinkedHashMap<>();
    for (ChangeBatch batch : batches) {
      byPartition.computeIfAbsent(batch.partition(), id -> new ArrayList<>()).add(batch);
    }
    byPartition.values().forEach(this::foldPartition);
    dictionaries.storeNew(sink);
    byte[] folded = new byte[8];
    Binary.putLong(folded, 0, foldedOffset);
    sink.put(StoreFormat.foldedKey(), folded);
    beside
        .states()
        .forEach(
            (partition, state) -> sink.put(StoreFormat.stateKey(partition), state.toByteArray()));
    beside
        .bounds()
        .forEach(
            (partition, bound) -> sink.put(StoreFormat.boundKey(partition), bound.toByteArray()));
    return sink.toByteArray();
  }

  private void foldPartition(List<ChangeBatch> batches) {
    try {
      for (ChangeBatch batch : batches) {
        runs.add(batch, dictionaries.idOf(batch));
      }
      runs.sort();
      foldRuns();
    } finally {
      runs.clear();
    }
  }

  private void foldRuns() {
    for (int from = 0; from < runs.count(); ) {
      int end = runs.endOfRun(from);
      int base = base(from, end);
      if (base == end - 1) {
        foldAlone(runs.row(base), runs.dictionary(base));
      } else if (base >= from) {
        put(from, laid(base, end, StoredRow.empty()));
      } else if (chance.nextInt(UPDATES_PER_READ) == 0) {
        put(from, laid(from, end, before(runs.row(from))));
      } else if (from == end - 1) {
        foldAlone(runs.row(from), runs.dictionary(from));
      } else {
        foldUpdates(from, end);
      }
      from = end;
    }
  }

  /** Where the last put or delete of a run is; in front of {@code from} when it has none. */
  private int base(int from, int end) {
    int base = end - 1;
    while (base >= from && runs.row(base).kind() == ChangeKind.UPDATE) {
      base--;
    }
    return base;
  }

  /** A put or a delete, which leaves the row as it says, or a single update. */
  private void foldAlone(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    if (row.kind() == ChangeKind.DELETE) {
      sink.deleteRow(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    } else if (dictionary != StoreFormat.INLINE_DICTIONARY) {
      sink.writeRow(row, dictionary);
    } else if (row.kind() == ChangeKind.UPDATE) {
      sink.merge(rowKey(row), inlinePart(row));
    } else {
      sink.put(rowKey(row), inlinePart(row));
    }
  }

  /**
   * Several updates become one part. What they remove and what they set can be more columns than a
   * row, and so a part, may have, although each update and each row that it makes was judged; then
   * the row is written anew, without what was removed.
   */
  private void foldUpdates(int from, int end) {
    StoredRow updates = laid(from, end, StoredRow.empty());
    if (updates.columnCount() > Limits.ROW_COLUMNS_MAX) {
      put(from, laid(from, end, before(runs.row(from))));
    } else {
      sink.merge(rowKey(runs.row(from)), updates.encode(dictionaries));
    }
  }

  /** The part of a row whose names have no dictionary. */
  private static byte[] inlinePart(RowCursor row) {
    ChangeBatch batch = row.batch();
    ByteSink part = new ByteSink(row.columnsBytes() + ID_BYTES_MAX);
    part.writeVarint(StoreFormat.INLINE_DICTIONARY);
    StoredRow.writeInline(
        part, batch.array(), batch.dictionaryOffset(), batch.dictionaryBytes(), batch.nameCount());
    part.write(batch.array(), row.columnsOffset(), row.columnsBytes());
    return part.toByteArray();
  }

  private StoredRow before(RowCursor row) {
    byte[] value = stored.get(rowKey(row));
    return value == null ? StoredRow.empty() : StoredRow.of(value, dictionaries);
  }

  /** Updates, the first of them perhaps a put or a delete, laid upon {@code value}. */
  private StoredRow laid(int from, int end, StoredRow value) {
    for (int i = from; i < end; i++) {
      value.lay(runs.row(i));
    }
    return value;
  }

  private void put(int from, StoredRow row) {
    sink.put(rowKey(runs.row(from)), row.withoutRemoved().encode(dictionaries));
  }

  private static byte[] rowKey(RowCursor row) {
    ChangeBatch batch = row.batch();
    return StoreFormat.rowKey(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
  }
}
