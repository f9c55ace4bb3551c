package io.tunnel.server.replica;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Rows in memory. When the process is killed, what is left is what there was after some earlier
 * fold, as with a store that writes its buffers to disk when it likes.
 */
public final class FakeReplicaRows implements ReplicaRows {

  private TreeMap<Integer, TreeMap<Bytes, SortedMap<String, Bytes>>> rows = new TreeMap<>();
  private TreeMap<Integer, TreeMap<Bytes, Long>> micros = new TreeMap<>();
  private TreeMap<Integer, Bytes> states = new TreeMap<>();
  private TreeMap<Bytes, Bytes> writers = new TreeMap<>();
  private FakeReplicaRows onDisk;
  private final Random random;
  boolean isFailing;

  /** Whether there is no room. */
  boolean isFull;

  private Optional<FakeFold> failed = Optional.empty();

  public FakeReplicaRows(Random random) {
    this.random = random;
  }

  FakeReplicaRows kill() {
    return onDisk == null ? new FakeReplicaRows(random) : onDisk.replica();
  }

  private FakeReplicaRows replica() {
    FakeReplicaRows replica = new FakeReplicaRows(random);
    rows.forEach((partition, of) -> replica.rows.put(partition, new TreeMap<>(of)));
    micros.forEach((partition, all) -> replica.micros.put(partition, new TreeMap<>(all)));
    replica.states = new TreeMap<>(states);
    replica.writers = new TreeMap<>(writers);
    return replica;
  }

  private void maybeFlush() {
    if (random.nextInt(5) == 0) {
      onDisk = replica();
    }
  }

  SortedMap<Bytes, SortedMap<String, Bytes>> rows(int partition) {
    return rows.computeIfAbsent(partition, id -> new TreeMap<>());
  }

  /** When the rows of a partition were committed, by key. */
  SortedMap<Bytes, Long> commitTimes(int partition) {
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

  @Override
  public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    return new FakeFold(batches, beside);
  }

  @Override
  public void writers(BiConsumer<Bytes, Bytes> visitor) {
    writers.forEach(visitor);
  }

  @Override
  public long foldedOffset() {
    return 0;
  }

  /** Folds batches. */
  public void fold(List<ChangeBatch> batches) throws IOException {
    boolean isWhole = false;
    while (!isWhole) {
      isWhole = begin(batches, BesideRows.NONE).run(new TableFold.Offsets(0, 0, 0), () -> true);
    }
  }

  /** As with a real table, a fold that failed goes on before any other. */
  private final class FakeFold implements TableFold {
    private final List<ChangeBatch> batches;
    private final BesideRows beside;

    FakeFold(List<ChangeBatch> batches, BesideRows beside) {
      this.batches = batches;
      this.beside = beside;
    }

    @Override
    public boolean run(Offsets offsets, BooleanSupplier mayGoOn) throws IOException {
      if (failed.filter(fold -> fold != this).isPresent()) {
        throw new IllegalStateException("a fold goes on before another one that failed");
      }
      failed = Optional.of(this);
      if (isFailing) {
        throw new IOException("the disk failed");
      }
      if (isFull) {
        throw new DiskFullException("No space left on device");
      }
      apply(batches, beside);
      failed = Optional.empty();
      return true;
    }
  }

  private void apply(List<ChangeBatch> batches, BesideRows beside) {
    for (ChangeBatch batch : batches) {
      RowCursor row = batch.rows();
      while (row.next()) {
        fold(batch, row);
      }
    }
    states.putAll(beside.states());
    beside.writers().forEach((writer, known) -> store(writers, writer, known));
    maybeFlush();
  }

  /** No bytes remove what is stored. */
  static void store(SortedMap<Bytes, Bytes> writers, Bytes writer, Bytes known) {
    if (known.length() == 0) {
      writers.remove(writer);
    } else {
      writers.put(writer, known);
    }
  }

  private void fold(ChangeBatch batch, RowCursor row) {
    Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
    if (row.kind() == ChangeKind.DELETE) {
      rows(batch.partition()).remove(key);
      commitTimes(batch.partition()).remove(key);
      return;
    }
    if (row.kind() == ChangeKind.UPDATE) {
      throw new IllegalStateException("folding must not need the row before");
    }
    SortedMap<String, Bytes> columns = new TreeMap<>();
    ColumnCursor at = row.columns();
    while (at.next()) {
      columns.put(
          batch.name(at.nameIndex()),
          Bytes.copyOf(batch.array(), at.typeOffset(), at.columnEnd() - at.typeOffset()));
    }
    rows(batch.partition()).put(key, columns);
    commitTimes(batch.partition()).put(key, batch.commitMicros());
  }

  @Override
  public SortedMap<Integer, Bytes> states() {
    return states;
  }

  @Override
  public void drop(int partition) throws IOException {
    if (isFull) {
      throw new DiskFullException("No space left on device");
    }
    rows.remove(partition);
    micros.remove(partition);
    writers.keySet().removeIf(writer -> Binary.getInt(writer.toByteArray(), 0) == partition);
    maybeFlush();
  }

  @Override
  public TableStore store() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return columns(partition, Bytes.copyOf(array, keyOffset, keyBytes)).isPresent();
  }

  @Override
  public void close() {}
}
