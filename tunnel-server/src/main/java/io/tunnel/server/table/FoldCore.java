package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns changes into one write to the store.
 *
 * <p>Puts and deletes need no look at what is stored: they are written in nearly the order of their
 * keys, batch by batch. Once a partition's changes hold an update, all of them are brought into the
 * order of their keys, and of each key the changes from its last put or delete on are made one row,
 * on what is stored where there is neither.
 */
final class FoldCore {

  /** A dictionary's id as a varint in front of a put's columns. */
  private static final int ID_BYTES_MAX = 5;

  private final Dictionaries dictionaries;
  private final RowBounds bounds;
  private final RowSource stored;
  private final WriteBatchSink sink = new WriteBatchSink();
  private final RowOrder order = new RowOrder();
  private final KeyRuns runs = new KeyRuns();

  /** Where the stored value of a row comes from. */
  @FunctionalInterface
  interface RowSource {
    /** The value, or null when there is none. */
    byte[] get(byte[] rowKey);
  }

  FoldCore(Dictionaries dictionaries, RowBounds bounds, RowSource stored) {
    this.dictionaries = dictionaries;
    this.bounds = bounds;
    this.stored = stored;
  }

  /**
   * The write that folds {@code batches}, in order, and records {@code foldedOffset} and states.
   */
  byte[] fold(List<ChangeBatch> batches, long foldedOffset, Map<Integer, Bytes> states) {
    sink.clear();
    Map<Integer, List<ChangeBatch>> byPartition = new LinkedHashMap<>();
    for (ChangeBatch batch : batches) {
      byPartition.computeIfAbsent(batch.partition(), id -> new ArrayList<>()).add(batch);
    }
    for (Map.Entry<Integer, List<ChangeBatch>> partition : byPartition.entrySet()) {
      if (hasUpdates(partition.getValue())) {
        foldWithUpdates(partition.getValue());
      } else {
        for (ChangeBatch batch : partition.getValue()) {
          foldInKeyOrder(batch);
        }
      }
    }
    dictionaries.storeNew(sink);
    bounds.storeNew(sink);
    byte[] folded = new byte[8];
    Binary.putLong(folded, 0, foldedOffset);
    sink.put(StoreFormat.foldedKey(), folded);
    states.forEach(
        (partition, state) -> sink.put(StoreFormat.stateKey(partition), state.toByteArray()));
    return sink.toByteArray();
  }

  private static boolean hasUpdates(List<ChangeBatch> batches) {
    for (ChangeBatch batch : batches) {
      RowCursor row = batch.rows();
      while (row.next()) {
        if (row.kind() == ChangeKind.UPDATE) {
          return true;
        }
      }
    }
    return false;
  }

  private void foldInKeyOrder(ChangeBatch batch) {
    int dictionary = dictionaries.idOf(batch);
    order.clear();
    RowCursor row = batch.rows();
    while (row.next()) {
      order.add(row);
    }
    order.sort(batch.array());
    for (int i = 0; i < order.count(); i++) {
      row.moveTo(order.rowOffset(i));
      foldAlone(row, dictionary);
    }
  }

  /** A put or a delete, which leaves the row as it says. */
  private void foldAlone(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    if (row.kind() == ChangeKind.DELETE) {
      sink.deleteRow(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    } else if (dictionary == StoreFormat.INLINE_DICTIONARY) {
      put(row, inlineValue(row), columnCount(row));
    } else {
      bounds.saw(batch.partition(), ID_BYTES_MAX + row.columnsBytes(), columnCount(row));
      sink.putRow(
          batch.partition(),
          batch.array(),
          row.keyOffset(),
          row.keyBytes(),
          dictionary,
          row.columnsOffset(),
          row.columnsBytes());
    }
  }

  private void put(RowCursor row, byte[] value, int columns) {
    bounds.saw(row.batch().partition(), value.length, columns);
    sink.put(rowKey(row), value);
  }

  private static int columnCount(RowCursor row) {
    return Binary.value(Binary.getVarint(row.batch().array(), row.columnsOffset(), row.rowEnd()));
  }

  private static byte[] rowKey(RowCursor row) {
    ChangeBatch batch = row.batch();
    return StoreFormat.rowKey(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
  }

  /** The stored form of a PUT row whose names have no dictionary. */
  private static byte[] inlineValue(RowCursor row) {
    ChangeBatch batch = row.batch();
    ByteSink value = new ByteSink(row.columnsBytes() + ID_BYTES_MAX);
    value.writeVarint(StoreFormat.INLINE_DICTIONARY);
    StoredRow.writeInline(
        value, batch.array(), batch.dictionaryOffset(), batch.dictionaryBytes(), batch.nameCount());
    value.write(batch.array(), row.columnsOffset(), row.columnsBytes());
    return value.toByteArray();
  }

  private void foldWithUpdates(List<ChangeBatch> batches) {
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
        foldUpdates(base, end, StoredRow.empty());
      } else {
        foldUpdates(from, end, before(runs.row(from)));
      }
      from = end;
    }
  }

  private StoredRow before(RowCursor row) {
    byte[] value = stored.get(rowKey(row));
    return value == null ? StoredRow.empty() : StoredRow.of(value, dictionaries);
  }

  /** Where the last put or delete of a run is; in front of {@code from} when it has none. */
  private int base(int from, int end) {
    int base = end - 1;
    while (base >= from && runs.row(base).kind() == ChangeKind.UPDATE) {
      base--;
    }
    return base;
  }

  /** Updates, the first of them perhaps a put or a delete, on {@code value}. */
  private void foldUpdates(int from, int end, StoredRow value) {
    for (int i = from; i < end; i++) {
      RowCursor row = runs.row(i);
      if (row.kind() != ChangeKind.DELETE) {
        value.apply(row);
      }
    }
    put(runs.row(end - 1), value.encode(dictionaries), value.columnCount());
  }
}
