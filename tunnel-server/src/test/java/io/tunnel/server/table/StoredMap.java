package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** A store in memory, to which the writes of a fold are applied as RocksDB applies them. */
final class StoredMap implements Dictionaries.Source {

  private static final int HEADER_BYTES = 12;

  private final TreeMap<byte[], byte[]> values = new TreeMap<>(Arrays::compareUnsigned);
  private byte[] write;
  private int at;

  /** Applies the bytes of a write batch. */
  void apply(byte[] writeBatch) {
    write = writeBatch;
    at = HEADER_BYTES;
    while (at < write.length) {
      int type = write[at++];
      byte[] key = sized();
      switch (type) {
        case 0 -> values.remove(key);
        case 1 -> values.put(key, sized());
        case 2 -> values.merge(key, sized(), StoredMap::append);
        default -> throw new IllegalArgumentException("a record of type " + type);
      }
    }
  }

  private byte[] sized() {
    long length = Binary.getVarint(write, at, write.length);
    int from = Binary.next(length);
    at = from + Binary.value(length);
    return Arrays.copyOfRange(write, from, at);
  }

  private static byte[] append(byte[] value, byte[] part) {
    byte[] both = Arrays.copyOf(value, value.length + part.length);
    System.arraycopy(part, 0, both, value.length, part.length);
    return both;
  }

  void put(byte[] key, byte[] value) {
    values.put(key, value);
  }

  /** Removes all keys that begin so. */
  void remove(byte[] prefix) {
    values.keySet().removeIf(key -> beginsWith(key, prefix));
  }

  /** Bytes of all keys and values. */
  long bytes() {
    return values.entrySet().stream()
        .mapToLong(entry -> entry.getKey().length + entry.getValue().length)
        .sum();
  }

  @Override
  public byte[] get(byte[] key) {
    return values.get(key);
  }

  @Override
  public void forEach(byte[] prefix, BiConsumer<byte[], byte[]> visitor) {
    for (Map.Entry<byte[], byte[]> entry : values.tailMap(prefix).entrySet()) {
      if (!beginsWith(entry.getKey(), prefix)) {
        break;
      }
      visitor.accept(entry.getKey(), entry.getValue());
    }
  }

  private static boolean beginsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }
}
