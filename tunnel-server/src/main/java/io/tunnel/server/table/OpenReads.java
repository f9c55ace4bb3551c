package io.tunnel.server.table;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashSet;
import java.util.Set;
import org.rocksdb.RocksDB;
import org.rocksdb.Snapshot;

/**
 * The snapshots of a store and the reads from them. A native snapshot is freed when it is released
 * and nobody reads from it, and never after the store was closed, which waits for the reads.
 *
 * <p>Its monitor guards the counts of all its snapshots and is held for no read; no other lock is
 * taken under it.
 */
final class OpenReads {

  private final RocksDB db;
  private final Dictionaries dictionaries;
  private final Set<TableSnapshot> notFreed = new HashSet<>();
  private int readCount;
  private boolean isClosed;

  OpenReads(RocksDB db, Dictionaries dictionaries) {
    this.db = db;
    this.dictionaries = dictionaries;
  }

  Dictionaries dictionaries() {
    return dictionaries;
  }

  RocksDB db() {
    return db;
  }

  synchronized TableSnapshot take() {
    if (isClosed) {
      throw stopping();
    }
    Snapshot taken = db.getSnapshot();
    TableSnapshot snapshot = new TableSnapshot(this, taken);
    notFreed.add(snapshot);
    return snapshot;
  }

  private static RefusedException stopping() {
    return new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
  }

  /** Begins a read, which {@link #end} ends; false when the snapshot is released already. */
  synchronized boolean begin(TableSnapshot snapshot) {
    if (snapshot.isReleased) {
      return false;
    }
    snapshot.readCount++;
    readCount++;
    return true;
  }

  synchronized void end(TableSnapshot snapshot) {
    snapshot.readCount--;
    readCount--;
    freeIfUnused(snapshot);
    notifyAll();
  }

  synchronized void release(TableSnapshot snapshot) {
    snapshot.isReleased = true;
    freeIfUnused(snapshot);
  }

  private void freeIfUnused(TableSnapshot snapshot) {
    if (snapshot.isReleased && snapshot.readCount == 0 && notFreed.remove(snapshot)) {
      db.releaseSnapshot(snapshot.taken);
    }
  }

  /** Snapshots that RocksDB still has. */
  synchronized int count() {
    return notFreed.size();
  }

  /** Begins nothing more, waits for the reads under way, and frees all snapshots. */
  synchronized void close() {
    isClosed = true;
    for (TableSnapshot snapshot : Set.copyOf(notFreed)) {
      release(snapshot);
    }
    boolean wasInterrupted = false;
    while (readCount > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
