package io.tunnel.server.table;

import java.util.Arrays;
import java.util.function.BiConsumer;

/** The keys of a store in memory, for tests of the parts of a table. */
final class StoredMap implements Dictionaries.Source {

  private static final byte[] FIRST = {};
  private static final byte[] END = {-1, -1, -1, -1, -1};

  private final MemoryMap map = new MemoryMap(() -> {});
  private final StoredKeys keys = new StoredKeys(map, new OpenGate());

  /** Applies the bytes of a write batch. */
  void apply(byte[] writeBatch) {
    map.write(writeBatch);
  }

  void put(byte[] key, byte[] value) {
    WriteBatchSink write = WriteBatchSink.small();
    write.put(key, value);
    apply(write.toByteArray());
  }

  /** Removes all keys that begin so; the last byte of the prefix is not the highest. */
  void remove(byte[] prefix) {
    byte[] end = Arrays.copyOf(prefix, prefix.length);
    end[end.length - 1]++;
    WriteBatchSink write = WriteBatchSink.small();
    write.deleteRange(prefix, end);
    apply(write.toByteArray());
  }

  /** Bytes of all keys and values. */
  long bytes() {
    return map.approximateBytes(FIRST, END);
  }

  @Override
  public byte[] get(byte[] key) {
    return keys.get(key);
  }

  @Override
  public void forEach(byte[] prefix, BiConsumer<byte[], byte[]> visitor) {
    keys.forEach(prefix, visitor);
  }
}
