package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;

/**
 * Builds the serialised form of a RocksDB write batch, so that a whole fold crosses into native
 * code once: {@code u64} zero, {@code u32} little-endian record count, then records: a type byte (1
 * put, 0 delete), the key and for a put the value, each with its length as a varint before it. The
 * form is RocksDB's documented on-disk form of its own log ({@code write_batch.cc}) and does not
 * change between versions.
 */
final class WriteBatchSink {

  private static final int COUNT_OFFSET = 8;
  private static final int HEADER_BYTES = 12;
  private static final int DELETE = 0;
  private static final int PUT = 1;

  private final ByteSink sink = new ByteSink(256 * 1024);
  private int count;

  WriteBatchSink() {
    clear();
  }

  void clear() {
    sink.truncate(0);
    int header = sink.skip(HEADER_BYTES);
    Binary.putLong(sink.array(), header, 0);
    count = 0;
  }

  /** A put of a row whose value is the dictionary's id and the columns as they came. */
  void putRow(
      int partition,
      byte[] array,
      int keyOffset,
      int keyBytes,
      int dictionary,
      int columnsOffset,
      int columnsBytes) {
    sink.writeByte(PUT);
    writeRowKey(partition, array, keyOffset, keyBytes);
    sink.writeVarint(Binary.varintBytes(dictionary) + columnsBytes);
    sink.writeVarint(dictionary);
    sink.write(array, columnsOffset, columnsBytes);
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
    sink.writeByte(PUT);
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

  /** The batch. */
  byte[] toByteArray() {
    Binary.putInt(sink.array(), COUNT_OFFSET, Integer.reverseBytes(count));
    return sink.toByteArray();
  }
}
