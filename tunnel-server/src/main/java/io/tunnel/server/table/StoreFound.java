package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** A key of the store and its value, as RocksDB gave them. */
@SuppressWarnings("ArrayRecordComponent") // Lives as long as a look, on the hot path.
record StoreFound(byte[] rowKey, byte[] value, Names names) implements FoundRow {

  /** The dictionaries of a partition by id: their names, and what is stored. */
  record Names(IntFunction<String[]> decoded, IntFunction<byte[]> stored) {
    static Names of(Dictionaries dictionaries, int partition) {
      return new Names(dictionaries.namesOf(partition), dictionaries.storedOf(partition));
    }
  }

  @Override
  public Bytes key() {
    return StoreFormat.key(rowKey);
  }

  @Override
  public int bytes() {
    return rowKey.length - StoreFormat.PARTITION_BYTES + value.length;
  }

  @Override
  public boolean isHeldBy(RowJudge judge) {
    return judge.holdsOf(rowKey, value, names.stored());
  }

  @Override
  public List<Column> columns(Predicate<String> chosen) {
    return StoredRow.columns(value, names.decoded(), chosen);
  }

  @Override
  public long commitMicros() {
    return StoredRow.commitMicros(value);
  }
}
