package io.tunnel.sdk.testing.table;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.wire.KeyTerms;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The rows of a partition at the creation of the tunnel, numbered from 1 in the order of their
 * keys. As on the server, a crash loses this snapshot: rows behind the last key are then read anew.
 */
public final class BaseSource implements ChannelSource {

  private final MemoryPartition partition;
  private final List<PrimaryKeySchema> schema;
  private final long commitMicros;
  private final Optional<KeyTerms> terms;
  private final NavigableMap<Long, Bytes> keys = new TreeMap<>(Map.of(0L, Bytes.EMPTY));
  private NavigableMap<Bytes, Row> rows;

  /** The present rows of the partition, as one commit. */
  public BaseSource(MemoryPartition partition, List<PrimaryKeySchema> schema, long nowMicros) {
    this(partition, schema, nowMicros, Optional.empty());
  }

  /** As the other constructor; with terms, those of the rows whose keys match. */
  public BaseSource(
      MemoryPartition partition,
      List<PrimaryKeySchema> schema,
      long nowMicros,
      Optional<KeyTerms> terms) {
    this.terms = terms;
    this.partition = partition;
    this.schema = schema;
    this.commitMicros = nowMicros;
    this.rows = present();
  }

  @Override
  public Optional<ChangeBatch> next(long position, int bytesMax) {
    BatchBuilder batch = new BatchBuilder(schema, 4096);
    long at = position;
    for (Map.Entry<Bytes, Row> row : rows.tailMap(keys.get(position), false).entrySet()) {
      boolean isFull = batch.rowCount() > 0 && batch.byteCount() >= bytesMax;
      if (isFull
          || !batch.add(new RowPutChange(row.getValue().primaryKey(), columns(row.getValue())))) {
        break;
      }
      keys.put(++at, row.getKey());
    }
    if (batch.rowCount() == 0) {
      return Optional.empty();
    }
    byte[] bytes = batch.build(partition.id(), position + 1, commitMicros);
    return Optional.of(ChangeBatch.parse(bytes, 0, bytes.length));
  }

  @Override
  public OptionalLong end() {
    Map.Entry<Long, Bytes> last = keys.lastEntry();
    return rows.higherKey(last.getValue()) == null
        ? OptionalLong.of(last.getKey())
        : OptionalLong.empty();
  }

  @Override
  public long committed(long delivered) {
    return delivered;
  }

  @Override
  public Bytes keyAt(long position) {
    return keys.get(position);
  }

  @Override
  public void moveTo(long position, Bytes key) {
    keys.tailMap(position, true).clear();
    keys.put(position, key);
  }

  @Override
  public void crashed(long checkpointed) {
    keys.tailMap(checkpointed, false).clear();
    rows = terms.isPresent() ? present() : partition.rows();
  }

  private NavigableMap<Bytes, Row> present() {
    NavigableMap<Bytes, Row> present = new TreeMap<>(partition.rows());
    terms.ifPresent(given -> present.keySet().removeIf(key -> !given.match(key)));
    return present;
  }

  private List<Column> columns(Row row) {
    return terms.isPresent() && terms.get().isKeysOnly() ? List.of() : row.columns();
  }
}
