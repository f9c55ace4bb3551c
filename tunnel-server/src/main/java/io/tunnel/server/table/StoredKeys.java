package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Reads of a store by {@link StoreFormat}'s keys. For any thread. */
@SuppressWarnings("try") // A use of the gate is only ended.
record StoredKeys(ByteMap map, OpenGate gate) implements Dictionaries.Source {

  @Override
  public byte[] get(byte[] key) {
    try (OpenGate.Use unused = gate.enter()) {
      return map.get(key);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the table: " + e.getMessage(), e);
    }
  }

  @Override
  public void forEach(byte[] prefix, BiConsumer<byte[], byte[]> visitor) {
    try (OpenGate.Use unused = gate.enter();
        ByteMap.Cursor at = map.all()) {
      for (at.seek(prefix); at.isValid() && startsWith(at.key(), prefix); at.next()) {
        visitor.accept(at.key(), at.value());
      }
      at.requireWhole();
    }
  }

  /** The values of one kind, by partition; {@code first} is a key of the kind. */
  SortedMap<Integer, Bytes> byPartition(byte[] first) {
    SortedMap<Integer, Bytes> found = new TreeMap<>();
    byte[] prefix = Arrays.copyOf(first, 5);
    forEach(
        prefix, (key, value) -> found.put(Binary.getInt(key, prefix.length), Bytes.copyOf(value)));
    return found;
  }

  static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length > prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }
}
