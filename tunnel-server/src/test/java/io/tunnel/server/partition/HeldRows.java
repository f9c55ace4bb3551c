package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjIntConsumer;

/** The keys of rows in memory, whose folds the test holds up, refuses or lets fail. */
final class HeldRows implements ShardRows {

  private final Set<Bytes> keys = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isInUse = new AtomicBoolean();

  /** The end in the log of each fold that was done. */
  private final List<Long> ends = new ArrayList<>();

  private boolean areHeld;
  private volatile boolean areBroken;
  private volatile IOException refusal;
  private List<ChangeBatch> kept = List.of();
  private long keptEnd;

  /** Folds end like that from now on; null for well. */
  void refuse(IOException how) {
    refusal = how;
  }

  /** Folds throw an error from now on. */
  void breakDown() {
    areBroken = true;
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
    return keys.contains(key);
  }

  @Override
  public void fold(List<ChangeBatch> batches, long end, BesideRows beside) throws IOException {
    kept = batches;
    keptEnd = end;
    foldAgain();
  }

  @Override
  public void foldAgain() throws IOException {
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
      kept.forEach(this::keep);
      done(keptEnd);
    } finally {
      isInUse.set(false);
    }
  }

  private synchronized void done(long end) {
    ends.add(end);
  }

  private void keep(ChangeBatch batch) {
    RowCursor row = batch.rows();
    while (row.next()) {
      keys.add(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
    }
  }

  static DiskFullException full() {
    return new DiskFullException("No space left on device");
  }

  @Override
  public boolean isLive(int partition) {
    return true;
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return keys.contains(Bytes.copyOf(array, keyOffset, keyBytes));
  }

  @Override
  public void columns(
      int partition, byte[] array, int keyOffset, int keyBytes, ObjIntConsumer<String> column) {
    // The rows have no columns.
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
