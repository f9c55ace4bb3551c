package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The index of expiry as the map has it: the entries are keys without values. */
@SuppressWarnings("try") // A use of the gate is only ended.
record StoredExpiries(ByteMap map, OpenGate gate) implements ExpiryIndex {

  /** Does not walk over entries that were removed before {@code fromMicros}. */
  @Override
  public List<Entry> first(int partition, long fromMicros, int countMax) {
    List<Entry> found = new ArrayList<>();
    try (OpenGate.Use unused = gate.enter();
        ByteMap.Cursor at =
            map.between(
                StoreFormat.expiryKey(partition, fromMicros, Bytes.EMPTY),
                StoreFormat.expiriesOf(partition + 1),
                true)) {
      for (at.toFirst(); at.isValid() && found.size() < countMax; at.next()) {
        byte[] key = at.key();
        int behind = StoreFormat.EXPIRY_KEY_OFFSET;
        found.add(
            new Entry(
                Binary.getLong(key, StoreFormat.EXPIRY_MICROS_OFFSET),
                Bytes.copyOf(key, behind, key.length - behind)));
      }
      at.requireWhole();
    }
    return found;
  }

  @Override
  public void change(int partition, List<Entry> removed, List<Entry> added) throws IOException {
    WriteBatchSink write = WriteBatchSink.small();
    try (OpenGate.Use unused = gate.enter()) {
      for (Entry entry : removed) {
        write.delete(StoreFormat.expiryKey(partition, entry.micros(), entry.key()));
      }
      for (Entry entry : added) {
        write.put(StoreFormat.expiryKey(partition, entry.micros(), entry.key()), new byte[0]);
      }
      map.write(write.toByteArray());
    } catch (IOException e) {
      throw TableStore.failed("cannot change the index of expiry: " + e.getMessage(), e);
    }
  }
}
