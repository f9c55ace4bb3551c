package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The keys of rows in memory, whose folds the test holds up, slices, refuses or lets fail. */
final class HeldRows implements ShardRows {

  private final SeenChanges seen = SeenChanges.of(RowBounds.unknown());
  private final Map<Integer, Set<Bytes>> keys = new ConcurrentHashMap<>();
  private final AtomicBoolean isInUse = new AtomicBoolean();

  /** Up to where the log is folded, said by each fold that was done. */
  private final List<Long> ends = new ArrayList<>();

  private final Set<Integer> dropped = ConcurrentHashMap.newKeySet();
  private boolean areHeld;
  private volatile boolean areBroken;
  private volatile IOException refusal;
  private volatile int sliceRowsMax = Integer.MAX_VALUE;
  private Runnable whenRead = () -> {};

  /** Folds end like that from now on; null for well. */
  void refuse(IOException how) {
    refusal = how;
  }

  /** Folds throw an error from now on. */
  void breakDown() {
    areBroken = true;
  }

  /** From now on a slice of a fold has so many rows. */
  void slice(int rowsMax) {
    sliceRowsMax = rowsMax;
  }

  /** Is run whenever a row is looked at, from now on. */
  void whenRead(Runnable action) {
    whenRead = action;
  }

  /** Folds last from now on. */
  synchronized void hold() {
    areHeld = true;
  }

  /** Folds end again. */
  synchronized void letGo() {
    areHeld = false;
    notifyAll();
  }

  private synchronized void awaitLetGo() {
    while (areHeld) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted while held", e);
      }
    }
  }

  synchronized List<Long> ends() {
    return List.copyOf(ends);
  }

  boolean has(Bytes key) {
    return keys.values().stream().anyMatch(of -> of.contains(key));
  }

  /** The keys that a partition has. */
  Set<Bytes> keys(int partition) {
    return keys.computeIfAbsent(partition, id -> ConcurrentHashMap.newKeySet());
  }

  @Override
  public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    Deque<RowChanged> left = new ArrayDeque<>();
    for (ChangeBatch batch : batches) {
      RowCursor row = batch.rows();
      while (row.next()) {
        Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
        left.add(new RowChanged(batch.partition(), key, row.kind() == ChangeKind.DELETE));
      }
    }
    return (offsets, mayGoOn) -> {
      fold(left);
      if (left.isEmpty()) {
        done(offsets.after());
      }
      return left.isEmpty();
    };
  }

  private record RowChanged(int partition, Bytes key, boolean isGone) {}

  private void fold(Deque<RowChanged> left) throws IOException {
    if (!isInUse.compareAndSet(false, true)) {
      throw new IllegalStateException("two threads fold at once");
    }
    try {
      awaitLetGo();
      if (areBroken) {
        throw new OutOfMemoryError("injected");
      }
      if (refusal != null) {
        throw refusal;
      }
      for (int rows = 0; rows < sliceRowsMax && !left.isEmpty(); rows++) {
        RowChanged row = left.remove();
        Set<Bytes> of = keys(row.partition());
        boolean unused = row.isGone() ? of.remove(row.key()) : of.add(row.key());
      }
    } finally {
      isInUse.set(false);
    }
  }

  private synchronized void done(long end) {
    ends.add(end);
  }

  static DiskFullException full() {
    return new DiskFullException("No space left on device");
  }

  @Override
  public SeenChanges seen() {
    return seen;
  }

  @Override
  public boolean isLive(int partition) {
    return !dropped.contains(partition);
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    whenRead.run();
    return keys(partition).contains(Bytes.copyOf(array, keyOffset, keyBytes));
  }

  @Override
  public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
    return keys(partition).contains(key) ? Optional.of(new TreeMap<>()) : Optional.empty();
  }

  @Override
  public void dropPartition(int partition) {
    dropped.add(partition);
    keys.remove(partition);
  }

  @Override
  public TableStore store() {
    throw new UnsupportedOperationException("these rows are not in a TableStore");
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
