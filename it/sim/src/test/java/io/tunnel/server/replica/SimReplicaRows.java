package io.tunnel.server.replica;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.SimTableRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStore.LogSync;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Rows of replicas in memory. What a killed process, or a machine without power, leaves is what
 * there was after some earlier fold, because a real table writes its buffers to disk when it likes;
 * the log is synced before it does.
 */
public final class SimReplicaRows implements ReplicaRows {

  private static final int STORED_ONE_IN = 6;

  private final SplittableRandom random;
  private TreeMap<Integer, TreeMap<Bytes, SortedMap<String, Bytes>>> rows = new TreeMap<>();
  private TreeMap<Integer, TreeMap<Bytes, Long>> micros = new TreeMap<>();
  private TreeMap<Integer, Bytes> states = new TreeMap<>();
  private TreeMap<Bytes, Bytes> writers = new TreeMap<>();
  private Optional<SimReplicaRows> stored = Optional.empty();
  private LogSync syncLog = () -> {};

  /** No rows yet; {@code random} says when they are stored. */
  public SimReplicaRows(SplittableRandom random) {
    this.random = random;
  }

  /** What is done before anything is stored. */
  void storeBehind(LogSync sync) {
    syncLog = sync;
  }

  /** What is left when the process is killed, or the power goes. */
  public SimReplicaRows afterDeath() {
    SimReplicaRows left =
        stored.map(SimReplicaRows::replica).orElseGet(() -> new SimReplicaRows(random));
    left.stored = Optional.of(left.replica());
    return left;
  }

  private SimReplicaRows replica() {
    SimReplicaRows replica = new SimReplicaRows(random);
    rows.forEach((partition, all) -> replica.rows.put(partition, new TreeMap<>(all)));
    micros.forEach((partition, all) -> replica.micros.put(partition, new TreeMap<>(all)));
    replica.states = new TreeMap<>(states);
    replica.writers = new TreeMap<>(writers);
    return replica;
  }

  private void storeMaybe() {
    if (random.nextInt(STORED_ONE_IN) == 0) {
      try {
        syncLog.sync();
      } catch (IOException e) {
        throw new IllegalStateException("a simulated disk fails", e);
      }
      stored = Optional.of(replica());
    }
  }

  /** Rows by encoded keys, each with its encoded columns. */
  public SortedMap<Bytes, SortedMap<String, Bytes>> rows(int partition) {
    return rows.computeIfAbsent(partition, id -> new TreeMap<>());
  }

  /** When the rows of a partition were committed, by key. */
  public SortedMap<Bytes, Long> commitTimes(int partition) {
    return micros.computeIfAbsent(partition, id -> new TreeMap<>());
  }

  @Override
  public long commitMicros(int partition, Bytes key) {
    return commitTimes(partition).getOrDefault(key, 0L);
  }

  @Override
  public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
    return Optional.ofNullable(rows(partition).get(key));
  }

  /** The disk always has room, so each fold is whole after a slice. */
  @Override
  public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    return (offsets, mayGoOn) -> {
      batches.forEach(this::fold);
      states.putAll(beside.states());
      beside.writers().forEach(this::store);
      storeMaybe();
      return true;
    };
  }

  /** No bytes remove what is stored. */
  private void store(Bytes writer, Bytes known) {
    if (known.length() == 0) {
      writers.remove(writer);
    } else {
      writers.put(writer, known);
    }
  }

  @Override
  public void writers(BiConsumer<Bytes, Bytes> visitor) {
    writers.forEach(visitor);
  }

  @Override
  public long foldedOffset() {
    return 0;
  }

  /** Applies rows as they are after changes. */
  void fold(ChangeBatch batch) {
    SortedMap<Bytes, SortedMap<String, Bytes>> all = rows(batch.partition());
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      if (row.kind() == ChangeKind.DELETE) {
        all.remove(key);
        commitTimes(batch.partition()).remove(key);
      } else if (row.kind() == ChangeKind.PUT) {
        all.put(key, columns(batch, row));
        commitTimes(batch.partition()).put(key, batch.commitMicros());
      } else {
        throw new IllegalStateException("a copy is folded without the row before");
      }
    }
  }

  private static SortedMap<String, Bytes> columns(ChangeBatch batch, RowCursor row) {
    SortedMap<String, Bytes> columns = new TreeMap<>();
    for (ColumnCursor at = row.columns(); at.next(); ) {
      columns.put(
          batch.name(at.nameIndex()),
          Bytes.copyOf(batch.array(), at.typeOffset(), at.columnEnd() - at.typeOffset()));
    }
    return columns;
  }

  @Override
  public SortedMap<Integer, Bytes> states() {
    return states;
  }

  @Override
  public void drop(int partition) {
    rows.remove(partition);
    micros.remove(partition);
    writers.keySet().removeIf(writer -> Binary.getInt(writer.toByteArray(), 0) == partition);
    storeMaybe();
  }

  @Override
  public TableRows readable() {
    return new SimTableRows(
        rows::keySet, this::decoded, (partition, key) -> micros.get(partition).get(key));
  }

  private NavigableMap<Bytes, List<Column>> decoded(int partition) {
    NavigableMap<Bytes, List<Column>> all = new TreeMap<>();
    rows(partition)
        .forEach(
            (key, values) -> {
              List<Column> columns = new ArrayList<>();
              values.forEach((name, value) -> columns.add(new Column(name, decoded(value))));
              all.put(key, columns);
            });
    return all;
  }

  /** A value as it stands in a batch, behind a count of one column and the number of its name. */
  private static ColumnValue decoded(Bytes typed) {
    byte[] bytes = new byte[2 + typed.length()];
    bytes[0] = 1;
    typed.copyInto(bytes, 2);
    ColumnCursor cursor = new ColumnCursor(bytes, 0, bytes.length);
    cursor.next();
    return cursor.value();
  }

  @Override
  public TableStore store() {
    throw new UnsupportedOperationException("rows of a simulation are not in a TableStore");
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return columns(partition, Bytes.copyOf(array, keyOffset, keyBytes)).isPresent();
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
