package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;

/**
 * Builds the serialised form of a RocksDB write batch, so that a complete fold crosses into native
 * code once: {@code u64} zero, {@code u32} little-endian record count, then records: a type byte (0
 * delete, 1 put, 2 merge, 15 delete of a range), the key, and but for a delete the value or the end
 * of the range, each with its length as a varint before it. The form is RocksDB's documented
 * on-disk form of its own log ({@code write_batch.cc}) and does not change between versions.
 */
final class WriteBatchSink {

  static final int HEADER_BYTES = 12;
  static final int DELETE = 0;
  static final int PUT = 1;
  static final int MERGE = 2;
  static final int DELETE_RANGE = 15;

  private static final int COUNT_OFFSET = 8;

  private static final int BYTES_MIN = 256 * 1024;
  private static final int SMALL_BYTES = 256;

  /** What is kept for the next write; a sink that grew beyond is dropped. */
  private static final int BYTES_KEPT_MAX = 8 << 20;

  private ByteSink sink;
  private int count;

  WriteBatchSink() {
    this(BYTES_MIN);
  }

  private WriteBatchSink(int bytes) {
    sink = new ByteSink(bytes);
    clear();
  }

  /** A sink for a few small records. */
  static WriteBatchSink small() {
    return new WriteBatchSink(SMALL_BYTES);
  }

  void clear() {
    if (sink.array().length > BYTES_KEPT_MAX) {
      sink = new ByteSink(BYTES_MIN);
    }
    sink.truncate(0);
    int header = sink.skip(HEADER_BYTES);
    Binary.putLong(sink.array(), header, 0);
    count = 0;
  }

  /**
   * A put of a row whose value is the commit time of its batch, the dictionary's id and the columns
   * as they came, or for an update the merge of such a part into the row.
   */
  void writeRow(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    sink.writeByte(row.kind() == ChangeKind.UPDATE ? MERGE : PUT);
    writeRowKey(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    sink.writeVarint(
        StoreFormat.PART_HEADER_BYTES + Binary.varintBytes(dictionary) + row.columnsBytes());
    sink.writeLong(StoreFormat.partHeader(batch.commitMicros()));
    sink.writeVarint(dictionary);
    sink.write(batch.array(), row.columnsOffset(), row.columnsBytes());
    count++;
  }

  void deleteRow(int partition, byte[] array, int keyOffset, int keyBytes) {
    sink.writeByte(DELETE);
    writeRowKey(partition, array, keyOffset, keyBytes);
    count++;
  }

  private void writeRowKey(int partition, byte[] array, int keyOffset, int keyBytes) {
    sink.writeVarint(StoreFormat.PARTITION_BYTES + keyBytes);
    sink.writeInt(partition);
    sink.write(array, keyOffset, keyBytes);
  }

  void put(byte[] key, byte[] value) {
    write(PUT, key, value);
  }

  /** Appends a part to the value of a row. */
  void merge(byte[] key, byte[] part) {
    write(MERGE, key, part);
  }

  private void write(int type, byte[] key, byte[] value) {
    sink.writeByte(type);
    sink.writeVarint(key.length);
    sink.write(key, 0, key.length);
    sink.writeVarint(value.length);
    sink.write(value, 0, value.length);
    count++;
  }

  void delete(byte[] key) {
    sink.writeByte(DELETE);
    sink.writeVarint(key.length);
    sink.write(key, 0, key.length);
    count++;
  }

  /** Deletes the keys from {@code first} on and before {@code end}. */
  void deleteRange(byte[] first, byte[] end) {
    write(DELETE_RANGE, first, end);
  }

  /** Bytes that {@link #toByteArray} would return now. */
  int size() {
    return sink.size();
  }

  /** The batch. */
  byte[] toByteArray() {
    Binary.putInt(sink.array(), COUNT_OFFSET, Integer.reverseBytes(count));
    return sink.toByteArray();
  }
}
