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
 * Turns changes into one write to the store. The changes of a partition are brought into the order
 * of their keys, and those of one key are made one: the last put or delete, with the updates behind
 * it. Only where there is neither is the stored row looked at.
 */
final class FoldCore {

  /** A dictionary's id as a varint in front of a put's columns. */
  private static final int ID_BYTES_MAX = 5;

  private final Dictionaries dictionaries;
  private final RowBounds bounds;
  private final RowSource stored;
  private final WriteBatchSink sink = new WriteBatchSink();
  private final KeyRuns runs = new KeyRuns();

  /** Of the rows of the partition that is folded. */
  private int valueBytesMax;

  private int columnsMax;

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
    byPartition.forEach(this::foldPartition);
    dictionaries.storeNew(sink);
    bounds.storeNew(sink);
    byte[] folded = new byte[8];
    Binary.putLong(folded, 0, foldedOffset);
    sink.put(StoreFormat.foldedKey(), folded);
    states.forEach(
        (partition, state) -> sink.put(StoreFormat.stateKey(partition), state.toByteArray()));
    return sink.toByteArray();
  }

  /** A put or a delete, which leaves the row as it says. */
  private void foldAlone(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    if (row.kind() == ChangeKind.DELETE) {
      sink.deleteRow(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    } else if (dictionary == StoreFormat.INLINE_DICTIONARY) {
      put(row, inlineValue(row), columnCount(row));
    } else {
      saw(ID_BYTES_MAX + row.columnsBytes(), columnCount(row));
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
    saw(value.length, columns);
    sink.put(rowKey(row), value);
  }

  private void saw(int valueBytes, int columns) {
    valueBytesMax = Math.max(valueBytesMax, valueBytes);
    columnsMax = Math.max(columnsMax, columns);
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

  private void foldPartition(int partition, List<ChangeBatch> batches) {
    valueBytesMax = 0;
    columnsMax = 0;
    try {
      for (ChangeBatch batch : batches) {
        runs.add(batch, dictionaries.idOf(batch));
      }
      runs.sort();
      foldRuns();
      bounds.saw(partition, valueBytesMax, columnsMax);
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
