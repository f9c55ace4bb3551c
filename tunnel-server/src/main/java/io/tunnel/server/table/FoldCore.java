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
import java.util.TreeMap;

/**
 * Turns changes into one write to the store.
 *
 * <p>Puts and deletes need no look at what is stored: they are written in nearly the order of their
 * keys. Once a partition's changes hold an update, all of them go through an overlay that has the
 * newest state of every row they touch, filled from the store on first need.
 */
final class FoldCore {

  private static final byte[] DELETED = new byte[0];

  private final Dictionaries dictionaries;
  private final RowSource stored;
  private final WriteBatchSink sink = new WriteBatchSink();
  private final RowOrder order = new RowOrder();

  /** Where the stored value of a row comes from. */
  @FunctionalInterface
  interface RowSource {
    /** The value, or null when there is none. */
    byte[] get(byte[] rowKey);
  }

  FoldCore(Dictionaries dictionaries, RowSource stored) {
    this.dictionaries = dictionaries;
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
        foldThroughOverlay(partition.getKey(), partition.getValue());
      } else {
        for (ChangeBatch batch : partition.getValue()) {
          foldInKeyOrder(batch);
        }
      }
    }
    dictionaries.storeNew(sink);
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
    byte[] array = batch.array();
    int dictionary = dictionaries.idOf(batch);
    order.clear();
    RowCursor row = batch.rows();
    while (row.next()) {
      order.add(row);
    }
    order.sort(array);
    for (int i = 0; i < order.count(); i++) {
      row.moveTo(order.rowOffset(i));
      if (row.kind() == ChangeKind.DELETE) {
        sink.deleteRow(batch.partition(), array, row.keyOffset(), row.keyBytes());
      } else if (dictionary == StoreFormat.INLINE_DICTIONARY) {
        sink.put(rowKey(batch.partition(), array, row), value(row, dictionary));
      } else {
        sink.putRow(
            batch.partition(),
            array,
            row.keyOffset(),
            row.keyBytes(),
            dictionary,
            row.columnsOffset(),
            row.columnsBytes());
      }
    }
  }

  private static byte[] rowKey(int partition, byte[] array, RowCursor row) {
    return StoreFormat.rowKey(partition, array, row.keyOffset(), row.keyBytes());
  }

  /** The stored form of a PUT row. */
  private static byte[] value(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    ByteSink value = new ByteSink(row.columnsBytes() + 5);
    value.writeVarint(dictionary);
    if (dictionary == StoreFormat.INLINE_DICTIONARY) {
      StoredRow.writeInline(
          value,
          batch.array(),
          batch.dictionaryOffset(),
          batch.dictionaryBytes(),
          batch.nameCount());
    }
    value.write(batch.array(), row.columnsOffset(), row.columnsBytes());
    return value.toByteArray();
  }

  private void foldThroughOverlay(int partition, List<ChangeBatch> batches) {
    Map<Bytes, byte[]> overlay = new TreeMap<>();
    for (ChangeBatch batch : batches) {
      int dictionary = dictionaries.idOf(batch);
      RowCursor row = batch.rows();
      while (row.next()) {
        Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
        overlay.put(
            key,
            switch (row.kind()) {
              case PUT -> value(row, dictionary);
              case UPDATE -> updated(row, key, overlay);
              case DELETE -> DELETED;
            });
      }
    }
    for (Map.Entry<Bytes, byte[]> row : overlay.entrySet()) {
      byte[] key = row.getKey().toByteArray();
      if (row.getValue() == DELETED) {
        sink.deleteRow(partition, key, 0, key.length);
      } else {
        sink.put(StoreFormat.rowKey(partition, key, 0, key.length), row.getValue());
      }
    }
  }

  private byte[] updated(RowCursor row, Bytes key, Map<Bytes, byte[]> overlay) {
    byte[] before = overlay.get(key);
    if (before == null) {
      before = stored.get(rowKey(row.batch().partition(), row.batch().array(), row));
    }
    StoredRow value =
        before == null || before == DELETED
            ? StoredRow.empty()
            : StoredRow.of(before, dictionaries);
    value.apply(row);
    return value.encode(dictionaries);
  }
}
